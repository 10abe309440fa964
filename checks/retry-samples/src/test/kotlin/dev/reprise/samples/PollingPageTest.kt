package dev.reprise.samples

import dev.reprise.core.Polling
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.pollUntil
import dev.reprise.coroutines.withDeadline
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

private class PolledJob(val isDone: Boolean)

private data class Page(val user: String, val orders: String)

private class PollingApi {
    private var looks = 0

    fun job(id: Int): PolledJob = PolledJob(isDone = ++looks == id)

    fun user(id: Int): String {
        if (++looks == 1) error("not up yet")
        return "user $id"
    }

    fun orders(id: Int): String = "orders of $id"
}

/** The snippets of the guide to polling and deadlines, run. */
@OptIn(ExperimentalCoroutinesApi::class)
class PollingPageTest :
    FunSpec({
        val id = 7

        test("a poll until a job is done") {
            runTest {
                val api = PollingApi()
                val retrier = Retrier()
                val everySecond = Polling.every(1.seconds, deadline = 2.minutes)
                val job = retrier.pollUntil(everySecond, { it.isDone }) { api.job(id) }
                job.isDone shouldBe true
                currentTime shouldBe 6_000
                val patient = Polling.every(500.milliseconds, deadline = 10.minutes).growingTo(15.seconds)
                "$patient" shouldBe "every 500ms, growing to 15s, for 600s"
            }
        }

        test("every exception is retried, in work with one deadline") {
            runTest {
                val api = PollingApi()
                val retrier = Retrier(Presets.named("any-exception"))
                val page = withDeadline(2.seconds) {
                    val user = retrier { api.user(id) }
                    val orders = async { retrier { api.orders(id) } }
                    Page(user, orders.await())
                }
                page shouldBe Page("user 7", "orders of 7")
            }
        }
    })
