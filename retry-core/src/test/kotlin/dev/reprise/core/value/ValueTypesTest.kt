package dev.reprise.core.value

import dev.reprise.build.PublicApi
import dev.reprise.core.Grammar
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import java.lang.reflect.Modifier
import kotlin.io.path.Path

/** What does not count when values are compared, or says no more than the type. */
private val FIXED = setOf(
    // Only the HTTP faces know them, and the events of two faces can be compared.
    "CallStarted.getHttpMethod",
    "CallStarted.getServerAddress",
    // An accepted result is the caller's.
    "CallSucceeded.getResult",
    // Of a part of a classifier, and of a kind of quota, all have the same.
    "Crc32Check.getBodyNeed",
    "Crc32Check.getResultScope",
    "ErrorTable.getResultScope",
    "ExceptionTable.getResultScope",
    "SteadyQuotaSettings.getCharge",
    "RatioQuotaSettings.getCharge",
    "RatioQuotaSettings.getCapacity",
    "RatioQuotaSettings.getCost",
    "RatioQuotaSettings.getThrottlingCost",
    "RatioQuotaSettings.getTimeoutCost",
    "RatioQuotaSettings.getFirstTryRefund",
    // Follows from the other members.
    "RetryPolicy.getWarnings",
    "Statuses.isEmpty",
    "Success.getReason",
    // Left out of the comparison: it has stack traces.
    "Success.getTrace",
    "BadResult.getTrace",
    "Failure.getTrace",
    // Has its place in the process, and says nothing of how the call went.
    "Success.getGiveUpMark",
    "BadResult.getGiveUpMark",
    "Failure.getGiveUpMark",
    // The number of a call in its process.
    *Grammar.letters.keys.flatMap { listOf("$it.getCallId", "$it.getRetrier") }.toTypedArray(),
)

private val GETTER = Regex("(get|is)(?!OrThrow)[A-Z].*")

/** The laws of equality are stated on values that differ in one member; this holds the list of those types complete. */
class ValueTypesTest :
    FunSpec({
        val api = PublicApi.of(Path("api/retry-core.api"))
        val cases = (PARTS + SETTINGS + TOLD).groupBy { it.first().javaClass }

        test("each public type that compares by value has a case") {
            val values = api.map { Class.forName(it.name.replace('/', '.')) }.filter(::isValue)
            values shouldHaveAtLeastSize 40
            values.filterNot { it in cases }.shouldBeEmpty()
        }

        test("a case changes whatever the dump shows of its type") {
            val getters = api.associate { shown ->
                shown.name.replace('/', '.') to shown.members.filter { it.descriptor.startsWith("()") }
            }
            val unchanged = cases.flatMap { (type, ofType) ->
                val values = ofType.flatMap { case -> case.neighbours().map { it.second } + case.first() }
                val seen = generateSequence<Class<*>>(type) { it.superclass }.flatMap { getters[it.name].orEmpty() }
                seen.filter { GETTER.matches(it.name) && !it.isStatic }
                    .filter { getter -> values.distinctBy { type.getMethod(getter.name).invoke(it) }.size == 1 }
                    .map { "${type.simpleName}.${it.name.substringBefore('-')}" }
            }
            val left = unchanged.toSet() - FIXED
            withClue(left) { left.shouldBeEmpty() }
        }
    })

private fun isValue(type: Class<*>): Boolean {
    val isMade = !type.isInterface && !type.isEnum && !Modifier.isAbstract(type.modifiers)
    val isSingle = type.declaredFields.any { it.name == "INSTANCE" }
    fun saysItself() = type.getMethod("equals", Any::class.java).declaringClass.name.startsWith("dev.reprise.")
    return isMade && !isSingle && saysItself()
}
