package dev.reprise.lab.fleet

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.fleet.budget.BudgetMaker

/** A contestant: a policy, and a budget that pays for its retries in place of the policy's own quota. */
internal class Contestant(
    val policy: RetryPolicy,
    /** Makes the budget of each client; `null` for the policy's quota. */
    val budget: BudgetMaker? = null,
)
