package dev.reprise.core.value

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.DecorrelatedBackoff
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.ExponentialBackoff
import dev.reprise.core.FailureKind
import dev.reprise.core.FixedBackoff
import dev.reprise.core.GoBackoff
import dev.reprise.core.Jitter
import dev.reprise.core.LinearBackoff
import dev.reprise.core.NextRetry
import dev.reprise.core.PerKindBackoff
import dev.reprise.core.SelfClassifier
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

private val NANOS = listOf(5L, 7L, 0L, UNLIMITED_NANOS)
private val AT_LEAST_ONE = listOf(5L, 7L, UNLIMITED_NANOS)
private val JITTERS = Jitter.entries
private val FLAGS = listOf(false, true)
private val TEXTS = listOf<String?>(null, "a", "b", "")
private val KINDS = listOf(null) + FailureKind.entries
private val CODES = listOf(setOf("a"), setOf("b"), setOf("a", "b"))
private val BACKOFFS = listOf(Backoff.IMMEDIATE, FixedBackoff(1), Backoff.STANDARD)
private val STATUSES = listOf(Statuses.of(500), Statuses.of(501), Statuses.of(500, 501), Statuses.between(500, 501))
private val ERROR_RULES = listOf(ErrorRule(null, setOf("a")), ErrorRule(null, setOf("b")))
private val BODY_RULES = listOf(ErrorRule(null, setOf("a"), Statuses.NONE, "busy"))
private val EXCEPTION_RULES = listOf(ExceptionRule(null, setOf("a")), ExceptionRule(null, setOf("b")))
private val FUNCTIONS = List(2) { n -> { _: NextRetry -> n.milliseconds } }
private val BOUNDS = listOf(ServerDelayBound.Clamp(1), ServerDelayBound.Add(1), ServerDelayBound.AtLeast(1))
private val RULES = listOf(null) + BOUNDS.map { ServerDelayRule(ServerDelayHeader.RETRY_AFTER, it) }

internal val PARTS = listOf(
    ValueType("FixedBackoff", NANOS, JITTERS) { FixedBackoff(next(), next()) },
    ValueType("LinearBackoff", NANOS, NANOS, NANOS, JITTERS) { LinearBackoff(next(), next(), next(), next()) },
    ValueType("ExponentialBackoff", NANOS, NANOS, listOf(2.0, 2.5, 0.5), NANOS, JITTERS, listOf(0, 1)) {
        ExponentialBackoff(next(), next(), next(), next(), next(), next())
    },
    ValueType("DecorrelatedBackoff", NANOS, NANOS) { DecorrelatedBackoff(next(), next()) },
    ValueType("GoBackoff", AT_LEAST_ONE, AT_LEAST_ONE) { GoBackoff(next(), next()) },
    ValueType("PerKindBackoff", BACKOFFS, BACKOFFS) { PerKindBackoff(next(), next()) },
    ValueType("Backoff.custom", JITTERS, FUNCTIONS) {
        Backoff.custom(
            next<Jitter>(),
            next<
                (
                    NextRetry,
                ) -> Duration?,
                >(),
        )
    },
    ValueType("Crc32Check", listOf("a", "b", "A")) { Crc32Check(next()) },
    ValueType("ErrorRule", KINDS, CODES, STATUSES, TEXTS) { ErrorRule(next(), next(), next(), next()) },
    ValueType("ErrorTable", listOf(ERROR_RULES, ERROR_RULES.reversed(), ERROR_RULES.take(1), BODY_RULES), FLAGS) {
        ErrorTable(next<List<ErrorRule>>(), next<Boolean>())
    },
    ValueType("ExceptionRule", KINDS, CODES, TEXTS, FLAGS) {
        ExceptionRule(next(), next<Set<String>>(), next(), next())
    },
    ValueType("ExceptionTable", listOf(EXCEPTION_RULES, EXCEPTION_RULES.reversed(), emptyList()), listOf(10, 1, 2)) {
        ExceptionTable(next<List<ExceptionRule>>(), next<Int>())
    },
    ValueType("FirstOf", listOf(SelfClassifier, Crc32Check()), listOf(TransportErrors, Crc32Check("b"))) {
        Classifier.firstOf(next<Classifier>(), next<Classifier>())
    },
    ValueType("Statuses", listOf(500, 501), listOf(503, 504)) { Statuses.between(next(), next()) },
    ValueType("ServerDelay", listOf(5L, 7L, -1L), FLAGS, RULES) {
        val nanos = next<Long>()
        if (next()) ServerDelay.exactly(nanos) else ServerDelay(nanos, next())
    },
    ValueType("ServerDelayRule", ServerDelayHeader.entries, BOUNDS, STATUSES) {
        ServerDelayRule(next(), next(), next())
    },
    ValueType("Clamp", NANOS) { ServerDelayBound.Clamp(next()) },
    ValueType("AtLeast", NANOS, FLAGS) { ServerDelayBound.AtLeast(next(), next()) },
    ValueType("Add", NANOS) { ServerDelayBound.Add(next()) },
    ValueType(
        "Verdict.Retry",
        FailureKind.entries,
        listOf("a", "b"),
        FLAGS,
        listOf(null, ServerDelay(1, null), ServerDelay(2, null), ServerDelay.exactly(1)),
        FLAGS,
    ) {
        val verdict = Verdict.Retry(next(), next(), next(), next())
        if (next()) verdict.retriedBelow() else verdict
    },
)

/** What these print goes into a line of text that has the rest. */
private val PRINT_LESS = setOf("Backoff.custom", "ServerDelay", "Verdict.Retry")

class EqualityTest :
    FunSpec({
        for (type in PARTS) {
            test("${type.name}: equal if all members are, and in no other case; hash and text follow") {
                type.holdsItsWord()
            }

            test("${type.name}: values that differ in one member mostly print differently") {
                val value = type.first()
                val others = type.neighbours()
                if (type.name in PRINT_LESS) return@test
                for ((clue, other) in others) withClue(clue) { other.toString() shouldNotBe value.toString() }
            }
        }

        test("values of different types are never equal") {
            val all = PARTS.map { it.first() }
            for (a in all) for (b in all) (a == b) shouldBe (a === b)
        }
    })
