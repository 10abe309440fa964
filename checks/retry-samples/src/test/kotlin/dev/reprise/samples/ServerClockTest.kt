package dev.reprise.samples

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.clock.ClockSkew
import dev.reprise.presets.clock.ServerClock
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import kotlinx.coroutines.test.runTest
import java.time.Clock
import java.time.Instant
import kotlin.time.Duration

/** The snippet of `ServerClock`. */
class ServerClockTest :
    FunSpec({
        class Signed {
            fun send(request: String) = request
        }

        fun sign(request: String, at: Instant) = "$request at $at"

        test("requests are signed with the server's time, which is ours until a failure says otherwise") {
            runTest {
                val api = Signed()
                val request = "GET /"
                val clock = ServerClock(Clock.systemUTC())
                val retrier = Retrier(RetryPolicy { classifyFirst(ClockSkew.STANDARD) }) { listener(clock) }
                val answer = retrier { api.send(sign(request, clock.instant())) }
                answer shouldStartWith "GET / at 2"
                clock.offset shouldBe Duration.ZERO
            }
        }
    })
