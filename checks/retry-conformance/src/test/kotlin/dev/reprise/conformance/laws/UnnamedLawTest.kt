package dev.reprise.conformance.laws

import dev.reprise.conformance.Ended
import dev.reprise.conformance.Face
import dev.reprise.conformance.GrpcFace
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.Step
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import java.util.logging.Level
import kotlin.reflect.KClass

class Unheard : RuntimeException("unheard")

class Unseen : RuntimeException("unseen")

/**
 * Law: a type of exception that no rule names is not retried in silence: the trace says so, and the log once for each retrier.
 * A failure of gRPC is a status, whose rule names each: no line is due, and a final status
 * needs no trace.
 */
class UnnamedLawTest :
    FunSpec({
        onFaces(
            "a type that no rule names is told once for each retrier, at INFO, and by the trace",
            Face.EVERY,
        ) { face ->
            val told = told(face, "one", ::Unheard, ::Unheard, ::Unseen, ::Unheard)
            told.lines shouldContainExactly due(face, Unheard::class, Unseen::class)
            told(face, "another", ::Unheard, ::Unheard).lines shouldContainExactly due(face, Unheard::class)

            val why = if (face == GrpcFace) null else "no rule names ${Unheard::class.java.name}"
            RetryTrace.of(told.last.thrown!!)?.detail shouldBe why
        }
    })

private class Told(val lines: List<String>, val last: Ended)

/** The types that a retrier called [name] logs on [face] while calls end with [failures], and the end of the last of these. */
private fun told(face: Face, name: String, vararg failures: () -> Throwable): Told {
    val trial = Trial(RetryPolicy.STANDARD) { this.name = "$name of $face" }
    lateinit var last: Ended
    val records = logged { failures.forEach { last = trial.end(face, ScriptedCall(listOf(Step(failure = it)))) } }
    val lines = records.filter { it.level == Level.INFO && it.message.startsWith("[$name of $face] ") }
        .map { it.message.substringAfter("] ").substringBefore(" is not retried") }
    return Told(lines, last)
}

private fun due(face: Face, vararg types: KClass<*>) = if (face == GrpcFace) emptyList() else types.map { it.java.name }
