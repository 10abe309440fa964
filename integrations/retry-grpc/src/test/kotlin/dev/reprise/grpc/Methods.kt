package dev.reprise.grpc

import io.grpc.MethodDescriptor
import io.grpc.MethodDescriptor.MethodType
import java.io.InputStream

/** Methods of a service whose messages are texts. */
internal object Methods {
    const val SERVICE = "test.Echo"

    val READ = method("Read", MethodType.UNARY, isSafe = true)
    val WRITE = method("Write", MethodType.UNARY)
    val LIST = method("List", MethodType.SERVER_STREAMING, isSafe = true)
    val COLLECT = method("Collect", MethodType.CLIENT_STREAMING)
    val CHAT = method("Chat", MethodType.BIDI_STREAMING)
    val ALL = listOf(READ, WRITE, LIST, COLLECT, CHAT)

    fun method(name: String, type: MethodType, isSafe: Boolean = false): MethodDescriptor<String, String> =
        MethodDescriptor.newBuilder(Text, Text)
            .setType(type)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
            .setSafe(isSafe)
            .setIdempotent(isSafe)
            .build()

    object Text : MethodDescriptor.Marshaller<String> {
        override fun stream(value: String): InputStream = value.byteInputStream()

        override fun parse(stream: InputStream): String = stream.readBytes().decodeToString()
    }
}
