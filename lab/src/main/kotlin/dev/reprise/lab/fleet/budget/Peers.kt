package dev.reprise.lab.fleet.budget

import dev.reprise.virtualtime.Chance

/** Makes the budget of one client, on a clock in ns and with a source of chance. */
internal typealias BudgetMaker = (clock: () -> Long, chance: Chance) -> Budget

/** Another library's default retries: its backoff and attempts as a policy document, and its budget. */
internal class Peer(val name: String, val policy: String, val budget: BudgetMaker? = null)

/** The other libraries that can be tried; `workshop/retry-studies` adds those that have a budget of their own. */
internal object Peers {
    val all: MutableList<Peer> = mutableListOf(
        // resilience4j, RetryConfig.ofDefaults(): 3 attempts, 500 ms, no budget.
        Peer("resilience4j", fixed(3, "500ms")),
        // Spring Framework 7, RetryPolicy.withDefaults(): 3 retries, 1 s, no budget.
        Peer("spring", fixed(4, "1s")),
        // botocore's legacy mode: 5 attempts, exponential, no budget.
        Peer("aws-legacy", "botocore-legacy"),
    )

    fun find(name: String): Peer? = all.find { it.name == name }

    private fun fixed(attempts: Int, delay: String) =
        """{"preset":"standard-2.1","quota":null,"maxAttempts":$attempts,"backoff":{"type":"fixed","delay":"$delay"}}"""
}
