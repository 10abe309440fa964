package dev.reprise.conformance.laws

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.grpc.RetryClientInterceptor
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.okhttp.RetryingCallFactory
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.io.File
import java.util.zip.ZipFile

/** Somebody's blocking task holds up the common pool: on two cores it has one thread. */
class CommonPoolLawTest :
    FunSpec({
        test("no class of a face names the common pool, or what runs there unless told otherwise") {
            val faces = listOf(RetryPolicy::class, Retrier::class, JavaRetrier::class, RetryingHttpClient::class) +
                listOf(RetryingCallFactory::class, RetryClientInterceptor::class)
            val classes = faces.flatMap { classesOf(File(it.java.protectionDomain.codeSource.location.toURI())) }
            classes.size shouldBeGreaterThan 100
            classes.filter { (_, code) -> NAMES.any { it in code } }.map { it.first }.shouldBeEmpty()
        }
    })

private val NAMES = listOf("commonPool", "delayedExecutor", "defaultExecutor", "getCommonPoolParallelism")

/** Each class of a jar or a folder, with its constants as text. */
private fun classesOf(place: File): List<Pair<String, String>> = if (place.isDirectory) {
    place.walk().filter { it.extension == "class" }.map { it.name to it.readText(Charsets.ISO_8859_1) }.toList()
} else {
    ZipFile(place).use { zip ->
        zip.entries().asSequence().filter { it.name.endsWith(".class") }
            .map { it.name to zip.getInputStream(it).readBytes().toString(Charsets.ISO_8859_1) }.toList()
    }
}
