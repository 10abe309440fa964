package dev.reprise.build

import io.kotest.core.spec.style.FunSpec
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions
import org.jetbrains.lincheck.datastructures.forClasses
import kotlin.reflect.KClass
import kotlin.time.Duration.Companion.hours

/**
 * Tries every interleaving of a few operations of each of [models]: their results must be those of some sequential
 * order. Every build tries a few; `-Dnightly` tries as many as Caffeine does.
 *
 * [listsAreOwn] promises that no thread changes a list that another one has. Lincheck then looks into none, and a model that
 * makes many takes a sixth of the time.
 *
 * A module whose tests extend this has Lincheck among its own test dependencies.
 */
abstract class ModelSpec(vararg models: Pair<String, KClass<*>>, listsAreOwn: Boolean = false) :
    FunSpec({
        for ((name, model) in models) {
            test("$name behaves as if its operations came one after the other")
                .config(enabled = isSupported, timeout = LONGEST, invocationTimeout = LONGEST) {
                    val options = options()
                    if (listsAreOwn) options.addGuarantee(COLLECTIONS.allMethods().ignore())
                    options.check(model.java)
                }
        }
    })

/** A night's work, on a machine with other work to do. */
private val LONGEST = 6.hours

private fun options() = if (System.getProperty("nightly") == null) {
    ModelCheckingOptions().iterations(1).invocationsPerIteration(20).threads(2).actorsPerThread(3)
} else {
    ModelCheckingOptions().iterations(100).invocationsPerIteration(1_000).threads(3).actorsPerThread(3)
}

private val COLLECTIONS =
    forClasses { name -> name.startsWith("java.util.") && !name.startsWith("java.util.concurrent.") }

/** Lincheck rewrites byte code, and knows the JDKs up to 21. */
private val isSupported = Runtime.version().feature() <= 21
