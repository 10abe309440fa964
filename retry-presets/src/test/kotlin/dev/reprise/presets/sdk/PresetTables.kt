package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.values.ceilingNanos
import dev.reprise.core.shell.values.header
import dev.reprise.core.shell.values.members
import dev.reprise.core.shell.values.word
import dev.reprise.presets.Presets
import java.math.BigDecimal
import java.math.RoundingMode

/** All presets side by side, as rows of cells; the first row is the header. */
internal object PresetTables {
    /** Attempts, largest waits, jitter, costs and headers; a service has a row where its figures are others. */
    val numbers: List<List<String>>
        get() = listOf(
            listOf("preset", "attempts", "waits at most", "after throttling", "jitter", "cost", "server's wish"),
        ) +
            Presets.all.flatMap(::rowsOf)

    /** What is retried: `t` for transient, `T` for throttling. Presets that agree in all rows share a column. */
    val conditions: List<List<String>>
        get() {
            val retrying = Presets.all.filter { it.policy().maxAttempts > 1 }
            val columns = retrying.groupBy({ preset -> Probe.ALL.map { it.mark(preset.policy()) } }, { it.name })
            val header = listOf("outcome") + columns.values.map { it.joinToString() }
            return listOf(header) + Probe.ALL.mapIndexed { i, probe -> listOf(probe.name) + columns.keys.map { it[i] } }
        }

    private fun rowsOf(preset: Preset): List<List<String>> = (listOf(null) + preset.services)
        .groupBy { figures(preset.policy(it)) }
        .map { (figures, services) ->
            val names = if (null in services) preset.name else "${preset.name} for ${services.joinToString()}"
            listOf(names) + figures
        }

    private fun figures(policy: RetryPolicy): List<String> {
        if (policy.maxAttempts == 1) return listOf("1") + List(COLUMNS) { "–" }
        val transient = waits(policy, FailureKind.TRANSIENT)
        val throttling = waits(policy, FailureKind.THROTTLING)
        return listOf(
            "${policy.maxAttempts}",
            transient,
            if (throttling == transient) "the same" else throttling,
            jitter(policy.backoff),
            costs(policy),
            policy.serverDelays.joinToString { it.header.word }.ifEmpty { "–" },
        )
    }

    private fun waits(policy: RetryPolicy, kind: FailureKind): String {
        val shown = (0 until minOf(SHOWN, policy.maxAttempts - 1)).map { policy.backoff.ceilingNanos(it, kind) }
        val last = policy.backoff.ceilingNanos(Int.MAX_VALUE, kind)
        return shown.joinToString(", ", transform = ::seconds) + if (last > shown.last()) ", … ${seconds(last)}" else ""
    }

    private fun seconds(nanos: Long): String =
        if (nanos > LONG) "no cap" else "${BigDecimal.valueOf(nanos, 9).setScale(3, RoundingMode.HALF_UP).plain()} s"

    private fun BigDecimal.plain() = stripTrailingZeros().toPlainString()

    private fun jitter(backoff: Backoff): String {
        val members = backoff.members() ?: return "custom"
        return when (members["type"]) {
            "decorrelated" -> "decorrelated"

            "go" -> "Go's"

            "per-kind" ->
                listOf("transient", "throttling").map { jitter(members[it] as Backoff) }.distinct().joinToString(", ")

            else -> "${members["jitter"]}"
        }
    }

    private fun costs(policy: RetryPolicy): String {
        val quota = policy.quota ?: return "free"
        val timeout = if (quota.timeoutCost == quota.cost) "" else ", timeouts ${quota.timeoutCost}"
        val throttling = if (quota.throttlingCost == quota.cost) "" else ", throttling ${quota.throttlingCost}"
        val least = if (quota is SteadyQuotaSettings) "${quota.leastCapacity} to " else ""
        return "${quota.cost}$timeout$throttling of $least${quota.capacity}"
    }

    private const val SHOWN = 3
    private const val COLUMNS = 5

    /** Beyond this, ten days, a wait has no cap worth the name. */
    private const val LONG = 864_000_000_000_000L
}
