package dev.reprise.core.shell.quota

import dev.reprise.core.TokenBucketSettings
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.pair
import io.kotest.property.checkAll
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

class RetryQuotaTest :
    FunSpec({
        test("tokens are conserved, never below zero and never above capacity, for any sequence") {
            checkAll(Arb.int(1..1000), Arb.list(Arb.pair(Arb.boolean(), Arb.int(0..600)), 0..200)) { capacity, steps ->
                val quota = RetryQuota(capacity)
                var expected = capacity
                for ((takes, tokens) in steps) {
                    if (takes) {
                        val taken = quota.tryTake(tokens)
                        taken shouldBe (tokens <= expected)
                        if (taken) expected -= tokens
                    } else {
                        val room = minOf(tokens, capacity - expected)
                        quota.refund(tokens) shouldBe room
                        expected += room
                    }
                    quota.available shouldBe expected
                    quota.available.shouldBeBetween(0, capacity)
                }
            }
        }

        test("many threads that take and give back leave the quota as they found it") {
            val quota = RetryQuota(capacity = 100)
            val go = CountDownLatch(1)
            val granted = AtomicInteger()
            val threads =
                List(8) {
                    thread {
                        go.await()
                        repeat(20_000) {
                            if (quota.tryTake(14)) {
                                granted.incrementAndGet()
                                quota.refund(14) shouldBe 14
                            }
                        }
                    }
                }
            go.countDown()
            threads.forEach { it.join() }
            quota.available shouldBe 100
            granted.get().shouldBeBetween(1, 160_000)
        }

        test("exactly enough is enough, and one too few takes nothing") {
            val quota = RetryQuota(500, available = 14)
            quota.tryTake(15) shouldBe false
            quota.available shouldBe 14
            quota.tryTake(14) shouldBe true
            quota.available shouldBe 0
        }

        test("what is wrong is said with name, rule and value") {
            shouldThrow<IllegalArgumentException> { RetryQuota(0) }.message shouldContain
                "quota.capacity must be at least 1: 0"
            shouldThrow<IllegalArgumentException> { RetryQuota(5, 6) }.message shouldContain "from 0 to capacity (5): 6"
            shouldThrow<IllegalArgumentException> {
                TokenBucketSettings.builder().cost(-1).build()
            }.message shouldContain
                "quota.cost must not be negative: -1"
        }
    })
