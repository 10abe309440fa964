package dev.reprise.core

import dev.reprise.build.ModelSpec
import dev.reprise.core.shell.call.HedgeBudget
import dev.reprise.core.shell.call.Latencies
import org.jetbrains.lincheck.datastructures.Operation

/**
 * The budget is linearizable. [Latencies] is not meant to be: a time that is recorded while a window ends may land in that one,
 * and a quantile adds up counts that others add to.
 */
class HedgeModelTest : ModelSpec("the budget of copies" to BudgetModel::class)

class BudgetModel {
    private val budget = HedgeBudget(0.5).apply { repeat(19) { callBegins() } }

    @Operation
    fun callBegins() = budget.callBegins()

    @Operation
    fun take() = budget.tryTake()

    @Operation
    fun giveBack() = budget.giveBack()

    @Operation
    fun copies() = budget.copies
}
