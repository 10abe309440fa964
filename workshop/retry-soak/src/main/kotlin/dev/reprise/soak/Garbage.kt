package dev.reprise.soak

import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.jdkhttp.RetryingHttpClient
import java.io.IOException
import java.lang.ref.Reference
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers

/**
 * Counts the sockets that a client keeps of responses without a status. The JDK's client, 17 as well as 25, fails such
 * a call and never closes its socket; the caller cannot close it. So the soak sends its faces no such response, and
 * counts here, for the client alone and with Reprise around it: an attempt must not keep more than a bare request.
 */
internal class Garbage private constructor(private val requests: Int, private val files: Int) {
    /** Whether a request kept more than one of [bare] did. */
    fun isMoreThan(bare: Garbage): Boolean = files > bare.files.toDouble() / bare.requests * requests + OTHER_FILES

    override fun toString(): String = "kept $files files of $requests requests"

    companion object {
        private const val CALLS = 50

        // The pool of another client may open or close some meanwhile.
        private const val OTHER_FILES = 16

        fun ofBareClient(): Garbage = of(HttpClient.newHttpClient())

        fun ofRetryingClient(): Garbage =
            of(RetryingHttpClient.around(HttpClient.newHttpClient()).policy(Face.policy()).build())

        private fun of(client: HttpClient): Garbage = FaultServer.forMany { _, _ ->
            Fault.GARBAGE_STATUS
        }.use { server ->
            val request = HttpRequest.newBuilder(server.uri()).build()
            // The client's own files and the server's are no garbage.
            fails(client, request)
            val files = Holdings.now().files
            val served = server.served()
            repeat(CALLS) { fails(client, request) }
            val kept = Garbage(server.served() - served, Holdings.now().files - files)
            // Some JDKs close what a client keeps when it is collected.
            Reference.reachabilityFence(client)
            kept
        }

        private fun fails(client: HttpClient, request: HttpRequest) {
            try {
                client.send(request, BodyHandlers.ofString())
            } catch (_: IOException) {
                return
            }
            error("a response without a status was taken for one")
        }
    }
}
