package dev.reprise.core.quota

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlin.concurrent.thread

class KeyedTest :
    FunSpec({
        test("a key keeps its value while it is used") {
            val quotas = Keyed<String, RetryQuota>(2) { RetryQuota() }
            val first = quotas["a"]
            first.tryTake(14)
            quotas["a"] shouldBeSameInstanceAs first
            quotas["a"].available shouldBe 486
        }

        test("the least recently used key goes when there is one too many") {
            val quotas = Keyed<String, RetryQuota>(2) { RetryQuota() }
            val a = quotas["a"]
            val b = quotas["b"]
            quotas["a"]
            quotas["c"]
            quotas.size shouldBe 2
            quotas["a"] shouldBeSameInstanceAs a
            quotas["b"] shouldNotBeSameInstanceAs b
        }

        test("it keeps exactly what a least-recently-used list would, for any sequence of keys") {
            checkAll(Arb.int(1..5), Arb.list(Arb.int(0..8), 0..100)) { capacity, keys ->
                val keyed = Keyed<Int, Int>(capacity) { it }
                val model = LinkedHashSet<Int>()
                for (key in keys) {
                    keyed[key] shouldBe key
                    model.remove(key)
                    model.add(key)
                    if (model.size > capacity) model.remove(model.first())
                    keyed.values().toSet() shouldBe model
                }
            }
        }

        test("threads that race for keys see one value each and never more keys than the capacity for long") {
            val keyed = Keyed<Int, Any>(64) { Any() }
            val threads =
                List(4) { seed ->
                    thread {
                        val random = java.util.Random(seed.toLong())
                        repeat(20_000) { keyed[random.nextInt(100)] }
                    }
                }
            threads.forEach { it.join() }
            keyed.size shouldBeLessThanOrEqual 64
        }
    })
