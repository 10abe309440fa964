package dev.reprise.lab.fleet.budget

import com.netflix.concurrency.limits.limit.AIMDLimit
import com.netflix.concurrency.limits.limit.Gradient2Limit
import dev.reprise.core.RetryPolicy
import dev.reprise.virtualtime.Chance

/** Makes the budget of one client, on a clock in ns and with a source of chance. */
internal typealias BudgetMaker = (clock: () -> Long, chance: Chance) -> Budget

/** Another library's default retries: its backoff and attempts as a policy document, and its budget. */
internal class Peer(
    val name: String,
    val policy: String,
    /** Where its figures come from. */
    val source: String,
    val budget: BudgetMaker? = null,
)

/**
 * The other libraries that can be tried. A budget without a backoff of its own gets standard mode's three attempts, so that the
 * budgets alone are compared.
 */
internal object Peers {
    private const val THREE = """{"preset":"standard-2.1","quota":null}"""

    val all: List<Peer> = listOf(
        Peer("finagle", THREE, "Finagle RetryBudget, Linkerd: 20 % of the calls of 10 s, and 10 retries a second") {
                clock,
                _,
            ->
            WindowBudget(ratio = 0.2, leastPerSecond = 10, clock)
        },
        Peer("grpc", THREE, "gRPC proposal A6, its example: maxTokens 10, tokenRatio 0.1") { _, _ ->
            GrpcThrottle(capacity = 10, ratio = 0.1)
        },
        Peer("envoy", THREE, "Envoy retry_budget: 20 % of the active requests, at least 3") { _, _ ->
            EnvoyBudget(share = 0.2, least = 3)
        },
        Peer("kora", THREE, "Kora RetryBudgetConfig: ratio 0.1, tokensMax 100, tokensInitial 10") { _, _ ->
            KoraBudget(ratio = 0.1, most = 100, first = 10)
        },
        Peer("sre-ratio", THREE, "SRE book, Handling Overload: retries at most 10 % of a client's requests") {
                clock,
                _,
            ->
            RetryRatio(ratio = 0.1, clock)
        },
        Peer("sre-throttle", THREE, "SRE book, Handling Overload: accepts against requests of two minutes, K = 2") {
                clock,
                chance,
            ->
            AcceptThrottle(k = 2.0, chance, clock)
        },
        Peer("resilience4j", fixed(3, "500ms"), "resilience4j RetryConfig.ofDefaults(): 3 attempts, 500 ms, no budget"),
        Peer("spring", fixed(4, "1s"), "Spring Framework 7 RetryPolicy.withDefaults(): 3 retries, 1 s, no budget"),
        Peer("netflix-gradient2", THREE, "Netflix concurrency-limits 0.5.4: Gradient2Limit's defaults") { _, _ ->
            ConcurrencyBudget(Gradient2Limit.newDefault())
        },
        Peer("netflix-aimd", THREE, "Netflix concurrency-limits 0.5.4: AIMDLimit's defaults") { _, _ ->
            ConcurrencyBudget(AIMDLimit.newBuilder().build())
        },
        Peer("aws-legacy", "botocore-legacy", "botocore's legacy mode: 5 attempts, exponential, no budget"),
    )

    /** The peer called [name], or `null`. */
    fun find(name: String): Peer? = all.find { it.name == name }

    private fun fixed(attempts: Int, delay: String) =
        """{"preset":"standard-2.1","quota":null,"maxAttempts":$attempts,"backoff":{"type":"fixed","delay":"$delay"}}"""
}
