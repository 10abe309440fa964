package dev.reprise.core.shell.layers

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.concurrent.thread

/** The question whether a failure is of a call inside this very attempt. */
class GiveUpsTest :
    FunSpec({
        val inside = CallPlace(0)

        val scope = object : AttemptScope() {
            override fun holds(place: CallPlace) = place === inside

            override fun place() = CallPlace(0)
        }

        fun mark(place: CallPlace?) = GiveUpMark(GiveUps.next(), place)

        /** A failure that is a chain of causes, each with a mark: 1 of a call inside the scope, 2 elsewhere, 3 at no known place, 0 for none. */
        fun chain(marks: List<Int>): Throwable = marks.asReversed().fold(null as Throwable?) { cause, place ->
            IOException(cause).also {
                when (place) {
                    1 -> it.addSuppressed(mark(inside))
                    2 -> it.addSuppressed(mark(CallPlace(0)))
                    3 -> it.addSuppressed(mark(null))
                }
            }
        }!!

        val places = Arb.list(Arb.int(0..3), 1..10)

        test(
            "a failure is marked if any cause of the first ten has a newer mark of a call inside the scope, and none without one",
        ) {
            checkAll(places) { marks ->
                val since = GiveUps.now()
                val failure = chain(marks)
                GiveUps.isMarked(failure, since, scope) shouldBe marks.any { it == 1 }
                GiveUps.isMarked(failure, since, null) shouldBe false
                GiveUps.isMarked(failure, GiveUps.now(), scope) shouldBe false
            }
        }

        test("marks of others, older or newer, on the same exception change nothing") {
            val constant = IOException("constant")
            constant.addSuppressed(mark(inside))
            val since = GiveUps.now()
            constant.addSuppressed(mark(CallPlace(0)))
            GiveUps.isMarked(constant, since, scope) shouldBe false
            constant.addSuppressed(mark(inside))
            GiveUps.isMarked(IOException(constant), since, scope) shouldBe true
        }

        test("to a request of a server any new mark counts, unless an older one shows that the exception is not new") {
            val since = GiveUps.now()
            GiveUps.isMarkedByAny(chain(listOf(0, 3)), since) shouldBe true
            GiveUps.isMarkedByAny(chain(listOf(0, 0)), since) shouldBe false
            val constant = chain(listOf(1))
            val later = GiveUps.now()
            constant.addSuppressed(mark(inside))
            GiveUps.isMarkedByAny(constant, later) shouldBe false
        }

        test("a cause beyond the tenth is not looked at, and a circle of causes ends") {
            val since = GiveUps.now()
            GiveUps.isMarked(chain(List(9) { 0 } + 1), since, scope) shouldBe true
            GiveUps.isMarked(chain(List(10) { 0 } + 1), since, scope) shouldBe false
            val (first, second) = List(2) { IOException("circle") }
            first.initCause(second)
            second.initCause(first)
            second.addSuppressed(mark(inside))
            GiveUps.isMarked(first, since, scope) shouldBe true
        }

        test("a result that carries a mark is marked by it, as a failure is") {
            class Response(override val giveUpMark: GiveUpMark?) : Marked

            val old = Response(mark(inside))
            val since = GiveUps.now()
            GiveUps.isMarked(Response(null), since, scope) shouldBe false
            GiveUps.isMarked(Response(mark(inside)), since, scope) shouldBe true
            GiveUps.isMarked(Response(mark(CallPlace(0))), since, scope) shouldBe false
            GiveUps.isMarked(old, since, scope) shouldBe false
            GiveUps.isMarked(null, since, scope) shouldBe false
            GiveUps.isMarked("a text", since, scope) shouldBe false
        }

        test("what a face has attached to its own values is found, on results, failures and their causes") {
            class Carried(val mark: GiveUpMark) : IOException()

            MarkCarriers.add { value ->
                (value as? Carried)?.let { carried ->
                    object : Marked {
                        override val giveUpMark = carried.mark
                    }
                }
            }
            val since = GiveUps.now()
            val carried = Carried(mark(inside))
            MarkCarriers.markOf(carried) shouldBe carried.mark
            GiveUps.isMarked(carried, since, scope) shouldBe true
            GiveUps.isMarked(IOException(carried), since, scope) shouldBe true
        }

        test("a moment is within a part of a thread's time if it came in it, on that thread") {
            val before = Moments.next()
            val from = Moments.now()
            val made = Moments.next()
            var elsewhere = 0L
            thread { elsewhere = Moments.next() }.join()
            val gaveUp = Moments.next()
            val scope = ThreadScope(before, from, Moments.now())
            val after = Moments.next()
            listOf(made, gaveUp).forEach { scope.holds(CallPlace(it)) shouldBe true }
            listOf(before, elsewhere, after, 0L).forEach { scope.holds(CallPlace(it)) shouldBe false }
            scope.place().moment shouldBe before
            ThreadScope(0, 0, 0).holds(CallPlace(made)) shouldBe false
            ThreadScope.blocking(from).place().moment.toInt() shouldBe after.toInt() + 1
        }

        test("an attempt that a context names is around those that it names further in, and itself") {
            val outer = EnclosingAttempt(null)
            val inner = EnclosingAttempt(outer)
            outer.isAround(inner) shouldBe true
            outer.isAround(outer) shouldBe true
            inner.isAround(outer) shouldBe false
            outer.isAround(null) shouldBe false
        }
    })
