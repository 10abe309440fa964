package dev.reprise.core.call

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

class WaitGuardTest :
    FunSpec({
        test("a wait ends at once, and no interrupt is left when the call is over") {
            val guard = WaitGuard()
            val waits = CountDownLatch(1)
            thread {
                waits.await()
                guard.fire()
            }
            waits.countDown()

            shouldThrow<InterruptedException> { Thread.sleep(60_000) }

            guard.hasFired shouldBe true
            guard.end()
            Thread.interrupted() shouldBe false
        }

        test("an interrupt that comes after the wait is taken back") {
            val guard = WaitGuard()
            guard.fire()
            guard.end()

            Thread.interrupted() shouldBe false
        }

        test("an attempt is not interrupted, nor whatever follows the call") {
            val guard = WaitGuard()
            guard.attempt(isRunning = true)
            guard.fire()
            guard.hasFired shouldBe false
            guard.attempt(isRunning = false)
            guard.end()
            guard.fire()

            guard.hasFired shouldBe false
            Thread.interrupted() shouldBe false
        }
    })
