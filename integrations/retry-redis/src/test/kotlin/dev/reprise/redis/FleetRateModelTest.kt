package dev.reprise.redis

import dev.reprise.core.rate.Answer
import dev.reprise.core.time.NanoClock
import io.kotest.core.spec.style.FunSpec
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions
import org.jetbrains.lincheck.datastructures.Operation
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import kotlin.time.Duration.Companion.hours

/** Every interleaving of a few callers who share one lease, tried one by one: slots are handed out once. */
class FleetRateModelTest :
    FunSpec({
        test("the fleet's rate behaves as if its operations came one after the other")
            .config(enabled = isSupported, timeout = LONGEST, invocationTimeout = LONGEST) {
                options().check(FleetRateModel::class.java)
            }
    })

/** A night's work, on a machine with other work to do. */
private val LONGEST = 6.hours

/** A taste in every build; `-Dnightly` looks at as much as Caffeine does. */
private fun options() = if (System.getProperty("nightly") == null) {
    ModelCheckingOptions().iterations(1).invocationsPerIteration(100).threads(2).actorsPerThread(3)
} else {
    ModelCheckingOptions().iterations(100).invocationsPerIteration(1_000).threads(3).actorsPerThread(3)
}

/** Lincheck rewrites byte code, and knows the JDKs up to 21. */
private val isSupported = Runtime.version().feature() <= 21

private const val NOW = 1_000_000_000_000L

/** One lease of four slots, all of them due and none lapsed, at a time that stands still; later commands get no reply. */
class FleetRateModel {
    private val rate = FleetRate(
        name = "model",
        client = "one",
        settings = FleetSettings.DEFAULT,
        least = 0.1,
        world = World(NanoClock { NOW }, { 0.5 }, { _, _ -> }),
        door = OneReply(listOf("0", "4", "-30000", "1.0E7", "0", "first", "100.0", "1")),
        measured = { 10.0 },
        changed = {},
    ).apply { record(Answer.THROTTLED, NOW, NOW) }

    @Operation
    fun take() = rate.tryTake(NOW)

    @Operation
    fun putBack() = rate.putBack()

    @Operation
    fun isInForce() = rate.isInForce
}

/** Completes the first command with [reply], and leaves the others open. */
private class OneReply(private val reply: List<String>) : Door {
    private var isFirst = true

    override fun run(script: Script, keys: Array<String>, args: Array<String>): CompletionStage<List<String>> {
        val answer = CompletableFuture<List<String>>()
        if (isFirst) answer.complete(reply)
        isFirst = false
        return answer
    }

    override fun close() = Unit
}
