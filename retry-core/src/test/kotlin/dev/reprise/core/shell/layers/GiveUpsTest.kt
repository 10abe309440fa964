package dev.reprise.core.shell.layers

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.IOException

/** The question whether a failure is of a call inside this very attempt. */
class GiveUpsTest :
    FunSpec({
        /** A failure that is a chain of causes, each with a mark of the retrier that [marks] name, 0 for none. */
        fun chain(marks: List<Int>): Throwable = marks.asReversed().fold(null as Throwable?) { cause, retrier ->
            IOException(cause).also { if (retrier > 0) it.addSuppressed(GiveUpMark(GiveUps.next(), retrier.toLong())) }
        }!!

        val retriers = Arb.list(Arb.int(0..3), 1..10)

        test("a failure is marked if any cause of the first ten has a newer mark of another retrier") {
            checkAll(retriers) { marks ->
                val since = GiveUps.now()
                GiveUps.isMarked(chain(marks), since, retrier = 1) shouldBe marks.any { it > 1 }
                GiveUps.isMarked(chain(marks), GiveUps.now(), retrier = 1) shouldBe false
            }
        }

        test("one older mark, of whatever retrier, shows that the exception is not new") {
            checkAll(Arb.int(0..3), Arb.int(0..3)) { old, recent ->
                val constant = IOException("constant")
                constant.addSuppressed(GiveUpMark(GiveUps.next(), old.toLong()))
                val since = GiveUps.now()
                constant.addSuppressed(GiveUpMark(GiveUps.next(), recent.toLong()))
                GiveUps.isMarked(constant, since, retrier = 1) shouldBe false
                GiveUps.isMarked(IOException(constant), since, retrier = 1) shouldBe false
            }
        }

        test("a cause beyond the tenth is not looked at, and a circle of causes ends") {
            val since = GiveUps.now()
            GiveUps.isMarked(chain(List(9) { 0 } + 2), since, retrier = 1) shouldBe true
            GiveUps.isMarked(chain(List(10) { 0 } + 2), since, retrier = 1) shouldBe false
            val (first, second) = List(2) { IOException("circle") }
            first.initCause(second)
            second.initCause(first)
            second.addSuppressed(GiveUpMark(GiveUps.next(), 2))
            GiveUps.isMarked(first, since, retrier = 1) shouldBe true
        }

        test("to calls that stand alone any mark is another's") {
            val since = GiveUps.now()
            val failure = IOException().also { it.addSuppressed(GiveUpMark(GiveUps.next(), GiveUps.LONE)) }
            GiveUps.isMarked(failure, since, GiveUps.LONE) shouldBe true
            GiveUps.isMarked(failure, since, retrier = 1) shouldBe true
        }

        test("a result that carries a mark is marked by it, as a failure is, if it is newer and another's") {
            class Response(override val giveUpMark: GiveUpMark?) : Marked

            val old = Response(GiveUpMark(GiveUps.next(), 2))
            val since = GiveUps.now()
            GiveUps.isMarked(Response(null), since, retrier = 1) shouldBe false
            val recent = Response(GiveUpMark(GiveUps.next(), 2))
            GiveUps.isMarked(recent, since, retrier = 1) shouldBe true
            GiveUps.isMarked(recent, since, retrier = 2) shouldBe false
            GiveUps.isMarked(recent, since, GiveUps.LONE) shouldBe true
            GiveUps.isMarked(old, since, retrier = 1) shouldBe false
            GiveUps.isMarked(null, since, retrier = 1) shouldBe false
            GiveUps.isMarked("a text", since, retrier = 1) shouldBe false
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
            val carried = Carried(GiveUpMark(GiveUps.next(), 2))
            MarkCarriers.markOf(carried) shouldBe carried.mark
            GiveUps.isMarked(carried, since, retrier = 1) shouldBe true
            GiveUps.isMarked(IOException(carried), since, retrier = 1) shouldBe true
            GiveUps.isMarked(carried, since, retrier = 2) shouldBe false
        }
    })
