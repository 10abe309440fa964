package dev.reprise.redis

import dev.reprise.build.ModelSpec
import dev.reprise.core.NanoClock
import dev.reprise.core.shell.rate.RateOutcome
import org.jetbrains.lincheck.datastructures.Operation
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage

/** Every interleaving of a few callers who share one lease, tried one by one: slots are handed out once. */
class FleetRateModelTest : ModelSpec("the fleet's rate" to FleetRateModel::class, listsAreOwn = true)

private const val NOW = 1_000_000_000_000L

/** One lease of four slots, all of them due and none lapsed, at a time that stands still; later commands get no reply. */
class FleetRateModel {
    private val rate = FleetRate(
        name = "model",
        client = lazyOf("one"),
        settings = FleetSettings.DEFAULT,
        least = 0.1,
        environment = Environment(NanoClock { NOW }, { 0.5 }, { _, _ -> }),
        connection = OneReply(listOf("0", "4", "-30000", "1.0E7", "0", "first", "100.0", "1")),
        measured = { 10.0 },
        isAwaited = { false },
        changed = {},
    ).apply { record(RateOutcome.THROTTLED, NOW, NOW) }

    @Operation
    fun take() = rate.tryTake(NOW)

    @Operation
    fun putBack() = rate.putBack()

    @Operation
    fun isInForce() = rate.isInForce
}

/** Completes the first command with [reply], and leaves the others open. */
internal class OneReply(private val reply: List<String>) : FleetConnection {
    private var isFirst = true

    override fun run(keys: Array<String>, args: Array<String>): CompletionStage<List<String>> {
        val answer = CompletableFuture<List<String>>()
        if (isFirst) answer.complete(reply)
        isFirst = false
        return answer
    }

    override fun close() = Unit
}
