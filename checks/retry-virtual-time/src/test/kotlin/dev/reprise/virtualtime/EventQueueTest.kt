package dev.reprise.virtualtime

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeSorted
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

class EventQueueTest :
    FunSpec({
        test("events happen in the order of their time and, at one time, of their scheduling") {
            checkAll(Arb.list(Arb.long(0L..20), 0..60), Arb.list(Arb.int(0..59), 0..20)) { times, cancelled ->
                val queue = EventQueue()
                val happened = mutableListOf<Int>()
                val events = times.mapIndexed { i, at -> queue.schedule(at) { happened += i } }
                val gone = cancelled.filter { it < events.size }.toSet()
                gone.forEach { queue.cancel(events[it]) }
                queue.size shouldBe times.size - gone.size
                queue.runUntil(20)
                happened shouldBe (times.indices - gone).sortedWith(compareBy({ times[it] }, { it }))
                queue.happened shouldBe happened.size.toLong()
                queue.now shouldBe 20
            }
        }

        test("an event that is moved happens once, at its last time") {
            checkAll(Arb.list(Arb.long(0L..20), 1..20)) { times ->
                val queue = EventQueue()
                var happened = 0
                val event = object : Event() {
                    override fun happen() {
                        happened++
                    }
                }
                times.forEach { queue.schedule(event, it) }
                queue.runUntil(times.last() - 1)
                happened shouldBe 0
                event.isScheduled shouldBe true
                queue.runUntil(times.last())
                happened shouldBe 1
                event.isScheduled shouldBe false
            }
        }

        test("events may schedule events, and time never runs backwards") {
            checkAll(Arb.list(Arb.long(-5L..20), 1..20)) { steps ->
                val queue = EventQueue()
                val seen = mutableListOf<Long>()
                fun next(i: Int) {
                    seen += queue.now
                    if (i < steps.size) queue.schedule(queue.now + steps[i]) { next(i + 1) }
                }
                queue.schedule(0) { next(0) }
                queue.runAll()
                seen.size shouldBe steps.size + 1
                seen.shouldBeSorted()
                queue.now shouldBe steps.sumOf { maxOf(it, 0) }
            }
        }

        test("an event of the past happens now, and the next one is known before it happens") {
            val queue = EventQueue()
            queue.nextAt shouldBe Long.MAX_VALUE
            queue.runNext() shouldBe false
            queue.runUntil(10)
            queue.schedule(3) {}.at shouldBe 10
            queue.schedule(30) {}
            queue.runNext() shouldBe true
            queue.nextAt shouldBe 30
            queue.now shouldBe 10
        }
    })
