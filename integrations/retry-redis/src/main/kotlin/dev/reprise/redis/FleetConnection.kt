package dev.reprise.redis

import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import io.lettuce.core.codec.Base16
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage

/** The connection of a client to Redis. Never waits and never throws; safe for any number of threads. */
internal interface FleetConnection : AutoCloseable {
    /** Done when the connection is open for the first time, or failed with the reason. */
    val opened: CompletionStage<*> get() = CompletableFuture.completedFuture(Unit)

    /**
     * Runs the script over [keys] with [args]. The stage fails if that is not possible now, at once where that is known.
     */
    fun run(keys: Array<String>, args: Array<String>): CompletionStage<List<String>>
}

/** The clock, the random numbers and the timer of a client; virtual in tests. */
internal class Environment(
    val clock: NanoClock,
    val random: RandomSource,
    /** Runs a task after so many ns, or never if the program ends before. */
    val after: (nanos: Long, task: Runnable) -> Unit,
)

/** A Lua script, and the name under which a server that has seen it keeps it. */
internal class Script(val text: String) {
    val sha: String = Base16.digest(text.toByteArray())

    companion object {
        val QUOTA = of("quota.lua")
        val RATE = of("rate.lua")

        private fun of(file: String) = Script(
            Script::class.java.getResourceAsStream(file)!!.use { it.readBytes().toString(Charsets.UTF_8) },
        )
    }
}

/** A name may stand in a key between braces. */
internal fun requireName(name: String, what: String = "name") =
    require(name.isNotBlank() && name.none { it == '{' || it == '}' }) {
        "$what must not be blank, and have no braces: '$name'"
    }

/** Two clients never have the same id: the system's random numbers are not copied with the image of a process. */
internal fun newClientId(): String = UUID.randomUUID().toString().replace("-", "")
