package dev.reprise.core.shell.quota

import dev.reprise.core.SteadyQuotaSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

class SpentTest :
    FunSpec({
        val rooms = Arb.int(1..SteadyQuotaSettings.MOST_TOKENS)
        val anySpent = arbitrary { source ->
            val room = source.random.nextInt(1, SteadyQuotaSettings.MOST_TOKENS + 1)
            val burst = source.random.nextInt(room + 1)
            Spent.of(room, burst, source.random.nextInt(SteadyQuotaSettings.MOST_TOKENS + 1))
        }

        test("three counts go into one word, and come out again") {
            checkAll(rooms, rooms, rooms) { room, burst, reserve ->
                val spent = Spent.of(room, burst, reserve)
                listOf(spent.room, spent.burst, spent.reserve) shouldBe listOf(room, burst, reserve)
                spent.isNone shouldBe false
                Spent.of(room, 0, 0).isNone shouldBe true
            }
        }

        test("a new size keeps the part that is spent, rounded up") {
            checkAll(anySpent, rooms) { spent, room ->
                val resized = spent.resized(room)
                resized.room shouldBe room
                resized.reserve shouldBe spent.reserve
                val exact = spent.burst.toDouble() * room / spent.room
                resized.burst.toDouble().shouldBeBetween(exact - 1e-6, exact + 1)
                resized.burst.shouldBeBetween(0, room)
            }
        }

        test("at any size, none spent stays none and all stays all, there and back") {
            checkAll(rooms, rooms) { room, other ->
                Spent.of(room, 0, 0).resized(other).resized(room) shouldBe Spent.of(room, 0, 0)
                Spent.of(room, room, 0).resized(other) shouldBe Spent.of(other, other, 0)
            }
        }

        test("there and back never makes tokens") {
            checkAll(anySpent, rooms) { spent, room ->
                spent.resized(room).resized(spent.room).burst.shouldBeBetween(spent.burst, spent.room)
            }
        }

        test("what is given back is no more than was spent") {
            checkAll(anySpent, rooms, rooms) { spent, burst, reserve ->
                val less = spent.minus(burst, reserve)
                less.burst shouldBe maxOf(0, spent.burst - burst)
                less.reserve shouldBe maxOf(0, spent.reserve - reserve)
                less.room shouldBe spent.room
            }
        }
    })
