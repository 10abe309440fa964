package dev.reprise.samples

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Upstream
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.withUpstream
import dev.reprise.ktor.server.RetryUpstream
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.server.application.install
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import java.io.IOException

/** The snippets of the guide to layers. */
class LayersPageTest :
    FunSpec({
        class Api(private val fails: Int) {
            var calls = 0

            fun fetch(id: Int): Int = if (++calls <= fails) throw IOException("down") else id
        }

        val quick = RetryPolicy { backoff = Backoff.IMMEDIATE }

        test("a server with the plugin") {
            val server = embeddedServer(CIO, port = 0) {
                install(RetryUpstream)
            }
            server.start()
            server.engine.resolvedConnectors().size shouldBe 1
            server.stop(0, 0)
        }

        test("a retry is not retried further") {
            val orders = Retrier(quick)
            val api = Api(fails = 9)
            val id = 1
            shouldThrow<IOException> {
                withUpstream(Upstream(attempt = 2)) { orders { api.fetch(id) } }
            }
            api.calls shouldBe 1
            JavaLayers(orders, api::fetch).attemptsForRetry() shouldBe 1
        }

        test("a job that begins anew") {
            val nightly = RetryPolicy { whenRetriedBelow = WhenRetriedBelow.RETRY }

            val api = Api(fails = 9)
            val jobs = Retrier(nightly.with { backoff = Backoff.IMMEDIATE })
            jobs.outcome { Retrier(quick).invoke { api.fetch(1) } }.reason shouldBe StopReason.ATTEMPTS
            api.calls shouldBe 9
            Retrier(quick).outcome { Retrier(quick).invoke { Api(fails = 9).fetch(1) } }.reason shouldBe
                StopReason.RETRIED_BELOW
        }
    })
