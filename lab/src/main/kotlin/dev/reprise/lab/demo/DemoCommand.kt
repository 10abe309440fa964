package dev.reprise.lab.demo

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.CliktError
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.mordant.rendering.TextStyles
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.StopReason
import dev.reprise.core.shell.time.briefText
import dev.reprise.coroutines.Retrier
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import dev.reprise.test.RecordedCall
import dev.reprise.test.Recorder
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.runInterruptible
import kotlin.time.measureTime

internal class DemoCommand : CliktCommand(name = "demo") {
    override fun help(context: Context) = "Shows retries at work against a server that really fails.\n\n" +
        "Starts a server on this machine that fails by script, calls it from Kotlin, Ktor and Java, and tells what " +
        "happens: each attempt, its class, the wait that follows, the quota that is left, and why each call " +
        "stopped. Takes some seconds. Exits with 1 if anything went otherwise than the script says."

    private val metrics by option("--metrics", help = "Print at the end what a Prometheus server would scrape.").flag()

    override fun run() {
        val surprises = faultyServer(Scenes.ALL.associate { it.path to it.replies }).use { server ->
            val address = "${server.uri()}".removeSuffix("/")
            echo("A server at $address fails by script. Every call to it goes through one retrier,")
            echo(
                "with up to 3 attempts, exponential backoff with full jitter, and a quota of tokens that pays for retries.",
            )
            runBlocking { playAll(server, Client(address)) }
        }
        if (surprises.isNotEmpty()) throw CliktError(surprises.joinToString("\n"), statusCode = 1)
    }

    /** Plays all scenes; returns what went otherwise than they say. */
    private suspend fun CoroutineScope.playAll(server: FaultServer, client: Client): List<String> {
        client.send("GET", "/") // A client's first request takes its time, and that is not what is shown here.
        KtorCalls.warmUp(client.address)
        val before = server.served()
        val recorder = Recorder()
        val timeline = Timeline(terminal)
        val scrape = if (metrics) Scrape() else null
        val listeners = listOfNotNull(timeline, recorder, scrape?.listener)
        val retrier = Retrier.builder(Scenes.POLICY).listeners(listeners).build().also { scrape?.watch(it) }
        val surprises = mutableListOf<String>()
        val took = measureTime {
            for ((index, scene) in Scenes.ALL.withIndex()) {
                val title = TextStyles.bold("${index + 1}. ${scene.title}")
                echo("\n$title  ${scene.method} ${scene.path}")
                val own = retrier.ownFor(scene, listeners)
                timeline.quota = own.quota
                surprises += play(scene, client, own, recorder)
            }
        }
        val requests = server.served() - before
        val calls = recorder.calls
        val attempts = calls.sumOf { it.attempts }
        echo("\n" + TextStyles.bold("${calls.size} calls: ${summary(calls)}"))
        echo("$attempts attempts, and the server saw $requests requests.")
        echo("${briefText(took.inWholeNanoseconds)} in all, ${briefText(waitedNanos(calls))} of it waiting.")
        scrape?.let { echo("\n" + it.text()) }
        if (attempts != requests) surprises += "attempts and requests differ"
        return surprises
    }

    /** Calls as [scene] says; returns what went otherwise. */
    private suspend fun CoroutineScope.play(
        scene: Scene,
        client: Client,
        retrier: Retrier,
        recorder: Recorder,
    ): List<String> {
        repeat(scene.calls) {
            val call = launch { call(scene, client, retrier) }
            if (scene.cancelAfter != null) {
                delay(scene.cancelAfter)
                call.cancel()
            }
            call.join()
        }
        val reason = recorder.calls.last().reason
        return if (reason == scene.ends) emptyList() else listOf("${scene.path} ended: $reason, not ${scene.ends}")
    }

    /** Makes one call. How it ends is for the listeners to tell. */
    private suspend fun call(scene: Scene, client: Client, retrier: Retrier) {
        val request = client.request(scene.method, scene.path)
        val java = JavaRetrier.sharing(retrier)
        when (scene.caller) {
            Scene.Caller.KOTLIN -> retrier.outcome(scene.options) { client.send(scene.method, scene.path) }

            Scene.Caller.KTOR -> KtorCalls.call(retrier, scene.method, client.address + scene.path)

            Scene.Caller.JAVA_BLOCKING -> runInterruptible(Dispatchers.IO) {
                JavaCalls.blocking(java, client.http, request)
            }

            Scene.Caller.JAVA_ASYNC -> JavaCalls.async(java, client.http, request).await()
        }
    }

    /** A retrier of the policy of [scene] that shares this one's quota, unless the policy has another. */
    private fun Retrier.ownFor(scene: Scene, listeners: List<RetryListener>): Retrier {
        val sharesQuota = scene.policy.quota == policy.quota
        return if (sharesQuota) with(scene.policy) else Retrier.builder(scene.policy).listeners(listeners).build()
    }
}

/** How [calls] ended, such as `6 succeeded, 3 gave up (attempts 1, quota 2), 1 was cancelled`. */
internal fun summary(calls: List<RecordedCall>): String {
    val ends = calls.mapNotNull { it.reason }.groupingBy { it }.eachCount().toSortedMap()
    val succeeded = ends.remove(StopReason.SUCCESS) ?: 0
    val cancelled = ends.remove(StopReason.CANCELLED) ?: 0
    val why = ends.entries.joinToString { (reason, count) -> "$reason $count" }
    return "$succeeded succeeded, ${ends.values.sum()} gave up ($why), $cancelled was cancelled"
}

/** The waits for permits and for retries; a cancelled call did not wait for its last retry to the end. */
private fun waitedNanos(calls: List<RecordedCall>): Long = calls.sumOf { call ->
    val waits = if (call.reason == StopReason.CANCELLED) emptyList() else call.delays
    val permits = call.events.filterIsInstance<RetryEvent.PermitWaited>().map { it.wait }
    (permits + waits).sumOf { it.inWholeNanoseconds }
}
