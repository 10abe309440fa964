package dev.reprise.studies.peers

import com.netflix.concurrency.limits.limit.AIMDLimit
import com.netflix.concurrency.limits.limit.Gradient2Limit
import dev.reprise.lab.fleet.budget.Peer

private const val THREE = """{"preset":"standard-2.1","quota":null}"""

/**
 * The other libraries' budgets. One without a backoff of its own gets standard mode's three attempts, so that the budgets alone
 * are compared.
 */
internal val BUDGETS: List<Peer> = listOf(
    // Finagle's RetryBudget, and Linkerd's: 20 % of the calls of 10 s, and 10 retries a second.
    Peer("finagle", THREE) { clock, _ -> WindowBudget(ratio = 0.2, leastPerSecond = 10, clock) },
    // gRPC proposal A6, its example: maxTokens 10, tokenRatio 0.1.
    Peer("grpc", THREE) { _, _ -> GrpcThrottle(capacity = 10, ratio = 0.1) },
    // Envoy's retry_budget: 20 % of the active requests, at least 3.
    Peer("envoy", THREE) { _, _ -> EnvoyBudget(share = 0.2, least = 3) },
    // Kora's RetryBudgetConfig: ratio 0.1, tokensMax 100, tokensInitial 10.
    Peer("kora", THREE) { _, _ -> KoraBudget(ratio = 0.1, most = 100, first = 10) },
    // SRE book, Handling Overload: retries at most 10 % of a client's requests.
    Peer("sre-ratio", THREE) { clock, _ -> RetryRatio(ratio = 0.1, clock) },
    // SRE book, Handling Overload: accepts against requests of two minutes, K = 2.
    Peer("sre-throttle", THREE) { clock, chance -> AcceptThrottle(k = 2.0, chance, clock) },
    // Netflix concurrency-limits 0.5.4, the defaults.
    Peer("netflix-gradient2", THREE) { _, _ -> ConcurrencyBudget(Gradient2Limit.newDefault()) },
    Peer("netflix-aimd", THREE) { _, _ -> ConcurrencyBudget(AIMDLimit.newBuilder().build()) },
)
