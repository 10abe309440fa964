package dev.reprise.coroutines

import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.layers.ServedRequest
import dev.reprise.core.layers.Upstream
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
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

        test("calls for a first attempt are as they were") {
            withUpstream(Upstream(1, 3)) { attempts() shouldBe 3 }
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

        test("a flow begins anew and a poll looks again while a retry is served: neither repeats its caller's work") {
            runTest {
                withUpstream(Upstream(2)) {
                    var looks = 0
                    retrier.pollUntil(dev.reprise.core.Polling.every(1.seconds, 1.seconds * 10), {
                        it == 3
                    }) { ++looks } shouldBe
                        3
                    var collections = 0
                    flow<Int> {
                        collections++
                        throw IOException()
                    }.retry(retrier).catch { }.collect()
                    collections shouldBe 3
                }
            }
        }
    })
