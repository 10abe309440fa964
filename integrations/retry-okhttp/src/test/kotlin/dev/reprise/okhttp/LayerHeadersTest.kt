package dev.reprise.okhttp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.Request

/** What tells other layers of a retry, and what they tell. */
class LayerHeadersTest :
    FunSpec({
        fun Face.numbers(server: RawServer, retries: OkHttpRetries, request: Request = request(server.url)) =
            send(calls(retries).newCall(request)).use { response ->
                response.retryReport to server.requests.map { it.headers()["amz-sdk-request"] }
            }

        val down = status(503)

        for (face in Face.entries) {
            test("$face: requests carry their attempt's number from the second one on") {
                RawServer(down).use { server ->
                    face.numbers(server, quickly()).second shouldBe listOf(null, "attempt=2", "attempt=3")
                    server.requests.map { it.headers()["x-envoy-max-retries"] } shouldBe List(3) { null }
                }
            }

            test("$face: a number that the request brings stays, and numbers can be switched off") {
                RawServer(down).use { server ->
                    val own = request(server.url).newBuilder().header("amz-sdk-request", "attempt=7").build()
                    face.numbers(server, quickly(), own).second shouldBe List(3) { "attempt=7" }
                }
                RawServer(down).use { server ->
                    val silent = OkHttpRetries.builder().policy(quickPolicy()).numberRetries(false).build()
                    face.numbers(server, silent).second shouldBe List(3) { null }
                }
            }

            test("$face: a sidecar can be told not to repeat, from the first request on") {
                RawServer(down).use { server ->
                    val alone = OkHttpRetries.builder().policy(quickPolicy()).meshRetries(false).build()
                    face.numbers(server, alone)
                    server.requests.map { it.headers()["x-envoy-max-retries"] } shouldBe List(3) { "0" }
                }
            }
        }
    })
