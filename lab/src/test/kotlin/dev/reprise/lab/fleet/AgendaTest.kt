package dev.reprise.lab.fleet

import dev.reprise.lab.fleet.kernel.Agenda
import dev.reprise.lab.fleet.kernel.Course
import dev.reprise.lab.fleet.kernel.Event
import dev.reprise.lab.fleet.kernel.LongHeap
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

private class Noted(val name: Int, private val into: MutableList<Int>) : Event() {
    override fun happen() {
        into += name
    }
}

class AgendaTest :
    FunSpec({
        test("events happen in the order of their time and, where that is the same, of their planning") {
            checkAll(Arb.list(Arb.long(0L..20), 0..60), Arb.list(Arb.int(0..59), 0..20)) { times, cancelled ->
                val agenda = Agenda()
                val happened = mutableListOf<Int>()
                val events = times.indices.map { Noted(it, happened) }
                events.forEachIndexed { i, event -> agenda.plan(event, times[i]) }
                val gone = cancelled.filter { it < events.size }.toSet()
                gone.forEach { agenda.cancel(events[it]) }
                agenda.runUntil(20)
                happened shouldBe (times.indices - gone).sortedWith(compareBy({ times[it] }, { it }))
                agenda.happened shouldBe happened.size.toLong()
            }
        }

        test("an event that is planned anew happens once, at its last time") {
            checkAll(Arb.list(Arb.long(0L..20), 1..20)) { times ->
                val agenda = Agenda()
                val happened = mutableListOf<Int>()
                val moved = Noted(0, happened)
                times.forEach { agenda.plan(moved, it) }
                agenda.runUntil(times.last() - 1)
                happened shouldBe emptyList()
                agenda.runUntil(times.last())
                happened shouldBe listOf(0)
            }
        }

        test("what is planned for the past happens now") {
            val agenda = Agenda()
            agenda.runUntil(10)
            val event = Noted(1, mutableListOf())
            agenda.plan(event, 3)
            event.at shouldBe 10
        }

        test("numbers leave a heap in their order") {
            checkAll(Arb.list(Arb.long(), 0..200)) { values ->
                val heap = LongHeap()
                values.forEach(heap::add)
                List(heap.size) { heap.removeFirst() } shouldBe values.sorted()
            }
        }

        test("the sum of a course is the sum over its parts") {
            val course = Course(listOf(0L to 2.0, 1_000_000_000L to 4.0))
            course.sum(0, 3_000_000_000) shouldBe 10.0
            Course(listOf(0L to 2.0)).sum(5, 5) shouldBe 0.0
        }
    })
