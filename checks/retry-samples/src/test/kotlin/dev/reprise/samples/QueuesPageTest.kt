package dev.reprise.samples

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.test.runTest
import java.io.IOException
import kotlin.time.Duration.Companion.minutes

private enum class Next { COMMIT, PARK, PAUSE }

private class OrderStore(private vararg val failures: Exception?) {
    private var calls = 0

    fun save(message: String): String = failures.getOrNull(calls++)?.let { throw it } ?: message
}

private class Handler(private val orders: OrderStore) {
    val retrier = Retrier(RetryPolicy { deadline = 1.minutes })

    suspend fun handle(message: String): Next = when (retrier.outcome { orders.save(message) }.reason) {
        StopReason.SUCCESS -> Next.COMMIT
        StopReason.REJECTED -> Next.PARK
        else -> Next.PAUSE
    }
}

/** The snippet of the page on queues, run. */
class QueuesPageTest :
    FunSpec({
        val down = IOException("down")

        suspend fun end(vararg failures: Exception?) = Handler(OrderStore(*failures)).handle("order 7")

        test("a message is committed, parked if it is wrong, and left where it is while the service is down") {
            runTest {
                end() shouldBe Next.COMMIT
                end(down, down) shouldBe Next.COMMIT
                end(IllegalArgumentException("no such article")) shouldBe Next.PARK
                end(down, down, down) shouldBe Next.PAUSE
            }
        }
    })
