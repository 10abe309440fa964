package dev.reprise.core

import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import kotlin.time.Duration.Companion.nanoseconds

class ServedRequestTest :
    FunSpec({
        fun marked() = IOException().also { it.addSuppressed(GiveUpMark(GiveUps.next(), place = null)) }

        test("a response says that it was retried below if the failure behind it is a retrier's, and from 500 on") {
            val request = ServedRequest(Upstream(1)) { 0 }
            request.failed(marked())
            request.isRetriedBelow shouldBe true
            listOf(200, 499, 500, 503).map(request::isRetriedBelow) shouldBe listOf(false, false, true, true)
            request.failed(IOException())
            request.isRetriedBelow shouldBe false
            request.isRetriedBelow(503) shouldBe false
        }

        test("a failure that another server called retried is so, and the last report counts") {
            val request = ServedRequest(Upstream(1)) { 0 }
            request.failed(IOException(), isMarked = true)
            request.isRetriedBelow shouldBe true
            request.callBegins()
            request.isRetriedBelow shouldBe false
            request.failure shouldBe null
            val failure = IOException()
            request.callEnded(gaveUp = true, failure)
            request.isRetriedBelow shouldBe true
            request.failure shouldBe failure
        }

        test("a mark that is older than the request proves nothing") {
            val old = marked()
            val request = ServedRequest(Upstream(1)) { 0 }
            request.failed(old)
            request.isRetriedBelow shouldBe false
        }

        test(
            "a call of the request that gave up on an exception with an older mark is not forgotten when that leaves the handler",
        ) {
            val constant = marked()
            val request = ServedRequest(Upstream(1)) { 0 }
            request.callEnded(gaveUp = true, constant)
            request.failed(IllegalStateException(constant))
            request.isRetriedBelow shouldBe true
            request.failed(IOException())
            request.isRetriedBelow shouldBe false
            request.callEnded(gaveUp = false, constant)
            request.failed(constant)
            request.isRetriedBelow shouldBe false
        }

        test("the time that is left runs from when the request came, below zero too") {
            var now = 1_000L
            val request = ServedRequest(Upstream(1).within(100.nanoseconds)) { now }
            val unlimited = ServedRequest(Upstream(1)) { now }
            request.timeLeftNanos() shouldBe 100
            now += 30
            request.timeLeftNanos() shouldBe 70
            now += 100
            request.timeLeftNanos() shouldBe -30
            unlimited.timeLeftNanos() shouldBe UNLIMITED_NANOS
        }

        test("putting a request on the thread returns the one that was there") {
            val (outer, inner) = List(2) { ServedRequest(Upstream(1)) { 0 } }
            outer.open().use {
                ServedRequest.putOnThread(inner) shouldBeSameInstanceAs outer
                ServedRequest.current() shouldBeSameInstanceAs inner
                ServedRequest.putOnThread(outer) shouldBeSameInstanceAs inner
            }
            ServedRequest.putOnThread(null).shouldBeNull()
        }

        test("its text is that of its upstream") {
            ServedRequest(Upstream(2, 3)) { 0 }.toString() shouldBe "serving upstream(attempt 2 of 3)"
            GiveUpMark(tick = 1, place = null).toString() shouldBe "RetryMark: a retrier gave up"
        }
    })
