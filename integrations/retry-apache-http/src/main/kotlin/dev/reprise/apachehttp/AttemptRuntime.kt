package dev.reprise.apachehttp

import org.apache.hc.client5.http.EndpointInfo
import org.apache.hc.client5.http.classic.ExecRuntime
import org.apache.hc.client5.http.protocol.HttpClientContext
import org.apache.hc.core5.http.ClassicHttpRequest
import org.apache.hc.core5.http.ClassicHttpResponse
import org.apache.hc.core5.http.Method
import org.apache.hc.core5.http.io.HttpResponseInformationCallback

/** The connection of one attempt, [below], which counts what is sent. Confined to the thread of the call. */
internal class AttemptRuntime(private val below: ExecRuntime) : ExecRuntime by below {
    /** How many requests were begun, but for those that ask a proxy for a tunnel. */
    var sent = 0
        private set

    /** Whether the body of the last response came compressed: the client unpacks it, and removes the header. */
    var isPacked = false
        private set

    override fun execute(id: String, request: ClassicHttpRequest, context: HttpClientContext): ClassicHttpResponse =
        counted(request) { below.execute(id, request, context) }

    override fun execute(
        id: String,
        request: ClassicHttpRequest,
        callback: HttpResponseInformationCallback?,
        context: HttpClientContext,
    ): ClassicHttpResponse = counted(request) { below.execute(id, request, callback, context) }

    // Kotlin delegates no default methods.
    override fun getEndpointInfo(): EndpointInfo? = below.endpointInfo

    private inline fun counted(request: ClassicHttpRequest, send: () -> ClassicHttpResponse): ClassicHttpResponse {
        if (!Method.CONNECT.isSame(request.method)) sent++
        return send().also { isPacked = it.containsHeader("Content-Encoding") }
    }
}
