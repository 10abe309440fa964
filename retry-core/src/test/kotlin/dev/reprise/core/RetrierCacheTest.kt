package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

class RetrierCacheTest :
    FunSpec({
        test("it keeps exactly what a least-recently-used list would, for any sequence of keys") {
            checkAll(Arb.int(1..5), Arb.list(Arb.int(0..8), 0..100)) { capacity, keys ->
                val keyed = RetrierCache<Int, Int>(capacity) { it }
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

        test("what is dropped is told, each value once") {
            val dropped = mutableListOf<Pair<String, Int>>()
            var made = 0
            val keyed = RetrierCache<String, Int>(2, { ++made }, { key, value -> dropped += key to value })
            for (key in listOf("a", "b", "a", "c", "b")) keyed[key]
            dropped shouldBe listOf("b" to 2, "a" to 1)
        }

        test("threads that race for keys see what was dropped once, and the rest is there") {
            val told = ConcurrentHashMap<Any, Int>()
            val keyed = RetrierCache<Int, Any>(8, { Any() }, { _, value -> told.merge(value, 1, Int::plus) })
            val seen = ConcurrentHashMap.newKeySet<Any>()
            val threads = List(4) { seed ->
                thread {
                    val random = java.util.Random(seed.toLong())
                    repeat(5_000) { seen += keyed[random.nextInt(20)] }
                }
            }
            threads.forEach { it.join() }
            told.values.toSet() shouldBe setOf(1)
            told.keys + keyed.values() shouldBe seen
        }

        test("a key that every thread uses at every second look-up is never dropped") {
            repeat(5) { round ->
                val dropped = AtomicInteger()
                val keyed = RetrierCache<Int, Any>(10, { it }, { key, _ -> if (key == 0) dropped.incrementAndGet() })
                val threads = List(6) { seed ->
                    thread {
                        val random = java.util.Random(seed * 31L + round)
                        repeat(20_000) {
                            keyed[0]
                            keyed[1 + random.nextInt(50)]
                        }
                    }
                }
                threads.forEach { it.join() }
                dropped.get() shouldBe 0
            }
        }
    })
