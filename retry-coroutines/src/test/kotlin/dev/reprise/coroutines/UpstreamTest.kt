package dev.reprise.coroutines

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineSource
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Upstream
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.call.ServedRequest
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.withContext
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

class UpstreamTest :
    FunSpec({
        val retrier = Retrier(
            RetryPolicy {
                maxAttempts = 3
                backoff = Backoff.fixed(1.milliseconds)
                quota = null
            },
        )

        suspend fun attempts(): Int {
            var count = 0
            shouldThrow<IOException> {
                retrier {
                    count++
                    throw IOException()
                }
            }
            return count
        }

        test(
            "calls for a retry make one attempt, also after a hop to another thread and in coroutines that were started",
        ) {
            withUpstream(Upstream(2)) {
                attempts() shouldBe 1
                withContext(Dispatchers.Default) {
                    delay(1.milliseconds)
                    attempts() shouldBe 1
                }
                coroutineScope { async(Dispatchers.IO) { attempts() }.await() } shouldBe 1
            }
            attempts() shouldBe 3
            ServedRequest.current() shouldBe null
        }

        virtual("calls for a retry send no copy; for a first request, or if their policy retries all, they do") {
            suspend fun executions(action: WhenRetriedBelow, attempt: Int): Int {
                var count = 0
                val policy = RetryPolicy {
                    hedge = Hedge.after(50.milliseconds, maxExtraLoad = 1.0)
                    whenRetriedBelow = action
                }
                withUpstream(Upstream(attempt)) {
                    Retrier(policy).invoke {
                        count++
                        delay(100)
                    }
                }
                return count
            }
            executions(WhenRetriedBelow.STOP, 2) shouldBe 1
            executions(WhenRetriedBelow.STOP, 1) shouldBe 2
            executions(WhenRetriedBelow.RETRY, 2) shouldBe 2
        }

        test("the limit of a request shortens each deadline of a call, whoever sets it, and makes none") {
            suspend fun Retrier.left(options: CallOptions = CallOptions.DEFAULT) = invoke(options) { it.timeLeftNanos }
            withUpstream(Upstream(1).within(1.minutes)) {
                retrier.left() shouldBe Long.MAX_VALUE
                val deadlines = listOf(
                    retrier.with(DeadlineSource { Duration.ofHours(1) }).left(),
                    retrier.with(retrier.policy.with { deadline = 1.hours }).left(),
                    retrier.left(CallOptions { deadline = 1.hours }),
                    withDeadline(1.hours) { retrier.left() },
                )
                for (left in deadlines) left shouldBeLessThanOrEqual 1.minutes.inWholeNanoseconds
                retrier.with(DeadlineSource { Duration.ofSeconds(9) }).left() shouldBeLessThanOrEqual
                    9.seconds.inWholeNanoseconds
            }
        }

        test("coroutines of other requests on the same thread do not see it") {
            coroutineScope {
                val other = async(Dispatchers.Unconfined) {
                    delay(5.milliseconds)
                    attempts()
                }
                withUpstream(Upstream(2)) { attempts() shouldBe 1 }
                other.await() shouldBe 3
            }
        }

        virtual(
            "a flow begins anew and a poll looks again while a retry is served: neither repeats its caller's work",
        ) {
            withUpstream(Upstream(2)) {
                var looks = 0
                retrier.pollUntil(dev.reprise.core.Polling.every(1.seconds, 1.seconds * 10), {
                    it == 3
                }) { ++looks } shouldBe 3
                var collections = 0
                flow<Int> {
                    collections++
                    throw IOException()
                }.retry(retrier).catch { }.collect()
                collections shouldBe 3
            }
        }
    })
