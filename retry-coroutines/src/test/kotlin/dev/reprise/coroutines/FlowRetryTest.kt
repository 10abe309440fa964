@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import java.io.IOException

class FlowRetryTest :
    FunSpec({
        fun failing(times: Int) = flow {
            var left = times
            emit("a")
            if (left-- > 0) throw IOException("broken")
            emit("b")
        }

        test("a flow that fails is collected again, and its values come again") {
            runTest {
                var collections = 0
                val numbers =
                    flow {
                        collections++
                        emit(collections)
                        if (collections < 3) throw IOException()
                        emit(99)
                    }
                val retrier = retrier()
                numbers.retry(retrier).toList() shouldContainExactly listOf(1, 2, 3, 99)
                currentTime shouldBe 150
                retrier.quota.shouldNotBeNull().available shouldBe 486
            }
        }

        test("each collection has attempts of its own") {
            runTest {
                val retried = failing(times = 1).retry(retrier())
                repeat(3) { shouldThrow<IOException> { retried.toList() }.message shouldBe "broken" }
                currentTime shouldBe 3 * 150
            }
        }

        test("what the collector throws is not retried") {
            runTest {
                var seen = 0
                shouldThrow<IOException> {
                    failing(times = 0).retry(retrier()).collect {
                        seen++
                        throw IOException("downstream")
                    }
                }.message shouldBe "downstream"
                seen shouldBe 1
                currentTime shouldBe 0
            }
        }

        test("a collector that has enough ends the call") {
            runTest { failing(times = 5).retry(retrier()).first() shouldBe "a" }
        }

        test("a listener hears of one end, also when the collector has enough, or fails") {
            runTest {
                val ends = mutableListOf<String>()
                val listener =
                    object : RetryListener {
                        override fun onEvent(event: RetryEvent) {
                            ends += event.javaClass.simpleName
                        }
                    }
                val flow = failing(times = 0).retry(retrier().with(listener))
                flow.toList()
                ends.removeLast() shouldBe "CallSucceeded"
                flow.first()
                ends.removeLast() shouldBe "CallCancelled"
                shouldThrow<IOException> { flow.collect { throw IOException() } }
                ends.removeLast() shouldBe "CallCancelled"
                ends.distinct() shouldContainExactly listOf("CallStarted", "AttemptStarted")
            }
        }
    })
