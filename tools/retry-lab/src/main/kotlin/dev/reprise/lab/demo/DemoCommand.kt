package dev.reprise.lab.demo

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.CliktError
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.mordant.rendering.TextStyles
import dev.reprise.coroutines.Retrier
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlin.time.measureTime

/** Shows retries at work against a server that really fails. */
internal class DemoCommand : CliktCommand(name = "demo") {
    override fun help(context: Context) =
        "Starts a server on this machine that fails by script, calls it through retrier { }, and shows what happens: " +
            "each attempt, its class, the wait that follows, the quota that is left, and why each call stopped. " +
            "Takes some seconds. Exits with 1 if anything went otherwise than the script says."

    override fun run() {
        val tally = Tally()
        val surprises = mutableListOf<String>()
        FaultyServer(Scenes.ALL.associate { it.path to it.replies }).use { server ->
            echo("A server at ${server.address} fails by script. Every call to it goes through retrier { }, with")
            echo("up to 3 attempts, exponential backoff with full jitter, and a quota of tokens that pays for retries.")
            val client = Client(server.address)
            val retrier = Retrier(Scenes.POLICY, listeners = listOf(Timeline(terminal), tally))
            val took = measureTime {
                runBlocking {
                    for ((index, scene) in Scenes.ALL.withIndex()) {
                        val title = TextStyles.bold("${index + 1}. ${scene.title}")
                        echo("\n$title  ${scene.method} ${scene.path}")
                        surprises += play(scene, client, retrier.ownFor(scene), tally)
                    }
                }
            }
            echo("\n" + TextStyles.bold("${tally.calls} calls: $tally"))
            echo("${tally.attempts} attempts, and the server saw ${server.requests} requests.")
            echo("${took.inWholeNanoseconds.asTime()} in all, ${tally.waitedNanos.asTime()} of it waiting.")
            if (tally.attempts != server.requests) surprises += "attempts and requests differ"
        }
        if (surprises.isNotEmpty()) throw CliktError(surprises.joinToString("\n"), statusCode = 1)
    }

    /** Calls as [scene] says; answers what went otherwise. */
    private suspend fun CoroutineScope.play(
        scene: Scene,
        client: Client,
        retrier: Retrier,
        tally: Tally,
    ): List<String> {
        repeat(scene.calls) {
            val call = launch { retrier.outcome(scene.options) { client.send(scene.method, scene.path) } }
            if (scene.cancelAfter != null) {
                delay(scene.cancelAfter)
                call.cancel()
            }
            call.join()
        }
        return if (tally.last ==
            scene.ends
        ) {
            emptyList()
        } else {
            listOf("${scene.path} ended: ${tally.last}, not ${scene.ends}")
        }
    }

    /** This retrier, or one with the policy and the quota of [scene] alone. */
    private fun Retrier.ownFor(scene: Scene): Retrier =
        if (scene.policy == null) this else Retrier(scene.policy, listeners = setup.listeners)
}
