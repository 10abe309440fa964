package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.SuspendFace
import dev.reprise.core.CallOptions
import dev.reprise.core.Hedge
import dev.reprise.core.Polling
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.pollUntil
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** Executions of one call on each face, of a hedged call, of a long poll and of a poll, a line each. */
internal object Executions {
    @JvmStatic
    fun main(args: Array<String>) = lines().forEach(::println)

    fun lines(): List<String> = Face.EVERY.map { "$it ${Trial(RetryPolicy.HTTP).end(it, broken()).attempts}" } +
        "hedged ${hedged()}" + "long poll ${Trial(RetryPolicy.HTTP).end(SuspendFace, broken(LONG_POLL)).attempts}" +
        "poll ${looks()}"

    private val LONG_POLL = CallOptions { longPolling = true }

    private fun broken(options: CallOptions = CallOptions.DEFAULT) = ScriptedCall(listOf(RESET), options)

    private fun hedged(): Int {
        val trial = Trial(RetryPolicy.HTTP.with { hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0) })
        return ScriptedCall(listOf(resetAfter(100), FINE)).also { trial.end(SuspendFace, it) }.begun
    }

    private fun looks(): Int {
        val trial = Trial(RetryPolicy.HTTP)
        var looks = 0
        return trial.time.run {
            trial.retrier.pollUntil(Polling.every(1.seconds, deadline = 1.minutes), { it == 4 }) { ++looks }
        }
    }
}

class RetriesOffTest :
    FunSpec({
        val faces = Face.EVERY.map { it.toString() }

        test("a process makes retries and sends copies") {
            Executions.lines() shouldContainExactly faces.map { "$it 3" } + listOf("hedged 2", "long poll 3", "poll 4")
        }

        test("with -Ddev.reprise.retries=off each call is executed once, but polls look on; the log says so once") {
            val java = File(System.getProperty("java.home"), "bin/java").path
            val path = System.getProperty("java.class.path")
            val name = Executions::class.java.name
            val out = File.createTempFile("executions", ".txt").apply { deleteOnExit() }
            val err = File.createTempFile("executions", ".log").apply { deleteOnExit() }
            val process = ProcessBuilder(java, "-Ddev.reprise.retries=off", "-cp", path, name)
                .redirectOutput(out).redirectError(err).start()
            try {
                process.waitFor(5, TimeUnit.MINUTES)
            } finally {
                process.destroyForcibly()
            }
            out.readLines() shouldContainExactly faces.map { "$it 1" } + listOf("hedged 1", "long poll 3", "poll 4")
            err.readLines().filter { "dev.reprise.retries=off" in it } shouldHaveSize 1
        }
    })
