package dev.reprise.ktor

import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClientConfig
import io.ktor.client.plugins.HttpRedirect
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.http.HttpMethod
import io.ktor.utils.io.ByteReadChannel

/** Each hop is a call of its own, so what is repeated after a failure is the hop that failed, never the one before. */
class RedirectTest :
    FunSpec({
        val following: HttpClientConfig<*>.() -> Unit = {
            install(HttpRedirect) { checkHttpMethod = false }
            install(Retry) { policy = quick }
        }

        for (engine in Engine.entries) {
            test("$engine: a POST that was sent is not sent again when its redirect is refused a connection") {
                for (status in listOf(302, 307)) {
                    FaultServer(Replies.status(status, "", "Location: ${FaultServer.refused()}")).use { server ->
                        val thrown = engine.client(configure = following).use { client ->
                            shouldThrowAny {
                                client.request("${server.uri()}") {
                                    method = HttpMethod.Post
                                    setBody("pay")
                                }
                            }
                        }

                        server.bodies() shouldBe listOf("pay")
                        RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 3
                    }
                }
            }

            test("$engine: a body that the first hop has read is gone for the second") {
                FaultServer(Replies.status(307, "", "Location: ${FaultServer.refused()}")).use { server ->
                    val thrown = engine.client(configure = following).use { client ->
                        shouldThrowAny {
                            client.request("${server.uri()}") {
                                method = HttpMethod.Put
                                setBody(ByteReadChannel("pay"))
                            }
                        }
                    }

                    server.bodies() shouldBe listOf("pay")
                    RetryTrace.of(thrown).shouldNotBeNull().run { attempts to reason } shouldBe
                        (1 to StopReason.NOT_REPLAYABLE)
                }
            }
        }
    })
