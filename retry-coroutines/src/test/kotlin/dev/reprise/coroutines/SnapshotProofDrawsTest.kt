package dev.reprise.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.util.SplittableRandom

class SnapshotProofDrawsTest :
    FunSpec({
        fun restored(seed: Long, bootedAt: Long): SnapshotProofDraws {
            val random = SplittableRandom(seed)
            var now = bootedAt
            return object : SnapshotProofDraws({ now++ }) {
                override fun bits() = random.nextLong()
            }
        }

        test("the draws of one seed are those of Java's SplittableRandom, whose steps the clock counts") {
            checkAll(Arb.long()) { seed ->
                val theirs = SplittableRandom(seed)
                var now = 1L
                val ours = object : SnapshotProofDraws({ now++ }) {
                    override fun bits() = seed
                }
                repeat(10) { ours.next() shouldBe theirs.nextDouble() }
            }
        }

        test("no two processes have the same bits") {
            val stopped = SnapshotProofDraws { 0 }
            List(100) { stopped.next() }.toSet().size shouldBe 100
        }

        test("processes that were restored from one snapshot draw differently") {
            checkAll(Arb.long(), Arb.long(), Arb.long()) { seed, one, other ->
                if (one != other) restored(seed, one).next() shouldNotBe restored(seed, other).next()
            }
        }

        test("draws are in [0, 1) and uniform, though the clock ticks evenly") {
            val draws = restored(1, 0)
            val buckets = IntArray(20)
            repeat(200_000) { buckets[(draws.next() * 20).toInt()]++ }
            // Ten standard deviations of a bucket's share.
            for (count in buckets) count.toDouble() shouldBe (10_000.0 plusOrMinus 1_000.0)
        }
    })
