package dev.reprise.okhttp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import okhttp3.ConnectionPool
import okhttp3.Dns
import okhttp3.OkHttpClient
import java.io.IOException
import java.net.InetAddress
import java.util.concurrent.TimeUnit

class ConnectionsTest :
    FunSpec({
        for (face in Face.entries) {
            test("$face: a rejected response is closed before the wait and its connection used again") {
                RawServer(status(503, "x".repeat(100_000)), status(429, "busy"), status(200, "there")).use { server ->
                    val response = face.send(face.calls(quickly()).newCall(request(server.url)))

                    response.use { it.body.string() } shouldBe "there"
                    server.connections shouldBe 1
                }
            }

            test("$face: a pool of stale connections does not eat all attempts") {
                val (failures, repeats) = staleGets(face)

                failures shouldBe 0
                repeats shouldBeGreaterThan 0
            }

            test("$face: a POST meets a kept connection that the server closes: as with the bare client") {
                closedWhileWriting(face.calls(quickly(), oneHost())) shouldBe closedWhileWriting(oneHost())
            }

            test("$face: two addresses, one of them dead, are one attempt") {
                RawServer(status(200, "there")).use { server ->
                    val dns = Dns { listOf("127.0.0.2", "127.0.0.1").map(InetAddress::getByName) }
                    val client = OkHttpClient.Builder().dns(dns).build()
                    val url = server.url.replace("127.0.0.1", "two.test")

                    val response = face.send(face.calls(quickly(), client).newCall(request(url)))

                    response.use { it.retryReport.attempts } shouldBe 1
                }
            }
        }

        test("the figures of docs/okhttp.md: POST on a kept connection with OkHttp's own repeat and without") {
            // 8 of 8 come back with it, and 8 of 8 that the server has read are sent twice.
            closedWhileWriting(oneHost()) shouldBe "8 of 8 answered, 8 sent twice"
            closedWhileWriting(oneHost().newBuilder().retryOnConnectionFailure(false).build()) shouldBe
                "0 of 8 answered, 0 sent twice"
        }
    })

private fun oneHost() = OkHttpClient.Builder().connectionPool(ConnectionPool(5, 1, TimeUnit.MINUTES)).build()

/** Eight POSTs, each on a connection that was used before and that the server closes when it has read the request. */
private fun closedWhileWriting(calls: okhttp3.Call.Factory): String {
    var answered = 0
    var twice = 0
    repeat(8) {
        RawServer(status(200, "warm"), Reply.Close, status(200, "there")).use { server ->
            calls.newCall(request(server.url)).execute().close()
            try {
                calls.newCall(request(server.url, "POST")).execute().close()
                answered++
            } catch (_: IOException) {
                // Counted below.
            }
            if (server.requests.count { it.method() == "POST" } == 2) twice++
        }
    }
    return "$answered of 8 answered, $twice sent twice"
}

/**
 * Four kept connections, all closed by the server; then a GET. Returns failures and further attempts of eight rounds.
 */
private fun staleGets(face: Face): Pair<Int, Int> {
    var failures = 0
    var repeats = 0
    repeat(8) {
        val busy = java.util.concurrent.CyclicBarrier(4)
        RawServer { n, _ ->
            if (n < 4) busy.await()
            status(200, "there")
        }.use { server ->
            val calls = face.calls(quickly(), oneHost())
            List(4) { calls.newCall(request(server.url)).future() }.forEach { it.get(30, TimeUnit.SECONDS).close() }
            server.closeConnections()
            try {
                face.send(calls.newCall(request(server.url))).use { repeats += it.retryReport.attempts - 1 }
            } catch (_: IOException) {
                failures++
            }
        }
    }
    return failures to repeats
}
