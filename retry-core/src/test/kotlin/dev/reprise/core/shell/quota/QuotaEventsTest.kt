package dev.reprise.core.shell.quota

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Shell
import dev.reprise.core.SteadyQuotaSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import java.io.IOException

/** Events tell how large a quota is at the moment, and whose tokens were too few. */
class QuotaEventsTest :
    FunSpec({
        val settings = SteadyQuotaSettings.DEFAULT
        val policy = RetryPolicy { quota = settings }

        class Scene(perSecond: Int) {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            val refused = mutableListOf<RetryEvent.QuotaRefused>()
            val capacities = mutableListOf<Int>()
            private val listener = RetryListener {
                if (it is RetryEvent.QuotaRefused) refused += it
                if (it is RetryEvent.QuotaTaken) capacities += it.capacity
            }
            private val shell = Shell(policy, listOf(listener), quota)

            init {
                repeat(perSecond * 30) {
                    clock.pass(1.0 / perSecond)
                    quota.succeeded(settings.firstTryRefund, null)
                }
            }

            /** A call of which every attempt fails. */
            fun fails(operation: String?) {
                val options = if (operation == null) CallOptions.DEFAULT else CallOptions(operation)
                val call = shell.begin(options)
                while (!call.isOver) call.ends(IOException())
            }
        }

        test("the capacity of the moment follows the client's traffic") {
            for ((perSecond, capacity) in mapOf(1 to 41, 20 to 100, 200 to 500)) {
                val scene = Scene(perSecond)
                scene.fails(null)
                scene.capacities.all { it in capacity - 1..capacity } shouldBe true
            }
        }

        test("a dead operation is refused by its own share, and then a call without an operation by the client's") {
            val scene = Scene(perSecond = 50)
            repeat(20) { scene.fails("dead") }
            scene.refused.shouldNotBeEmpty()
            scene.refused.all { it.isOperationShare } shouldBe true
            scene.refused.last().operationAvailable shouldBeLessThan settings.cost
            scene.refused.clear()
            repeat(20) { scene.fails(null) }
            scene.refused.shouldNotBeEmpty()
            scene.refused.none { it.isOperationShare } shouldBe true
        }

        test("with one thread, whoever is refused lacked the tokens that the event says") {
            checkAll(
                30,
                Arb.int(1..100),
                Arb.list(Arb.boolean().map { if (it) "dead" else null }, 1..60),
            ) { load, calls ->
                val scene = Scene(load)
                calls.forEach { scene.fails(it) }
                scene.refused.forEach {
                    it.operationAvailable shouldBe minOf(it.operationAvailable, it.available)
                    (it.operationAvailable < it.tokens) shouldBe true
                    it.isOperationShare shouldBe (it.available >= it.tokens)
                }
            }
        }
    })
