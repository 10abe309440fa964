package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.GrpcFace
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.Step
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import java.util.logging.Level

class Unheard : RuntimeException("unheard")

class Unseen : RuntimeException("unseen")

/**
 * Law: a type of exception that no rule names is not retried in silence. That there are at most 100 lines is a test of the core.
 * A failure of gRPC is a status, and its rule names each.
 */
class UnnamedLawTest :
    FunSpec({
        onFaces("a type that no rule names is told once for each retrier, at INFO", Face.EVERY - GrpcFace) { face ->
            fun lines(retrier: String, vararg failures: () -> Throwable): List<String> {
                val trial = Trial(RetryPolicy.STANDARD) { name = "$retrier of $face" }
                return logged { failures.forEach { trial.end(face, ScriptedCall(listOf(Step(failure = it)))) } }
                    .filter { it.level == Level.INFO && it.message.startsWith("[$retrier of $face] ") }
                    .map { it.message.substringAfter("] ").substringBefore(" is not retried") }
            }

            val unheard = Unheard::class.java.name
            lines("one", ::Unheard, ::Unheard, ::Unseen, ::Unheard) shouldContainExactly
                listOf(unheard, Unseen::class.java.name)
            lines("another", ::Unheard, ::Unheard) shouldContainExactly listOf(unheard)
        }
    })
