package dev.reprise.coroutines

import dev.reprise.core.DeadlineSource
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.string.shouldStartWith
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.io.IOException

private val CHANGES: List<(Retrier) -> Retrier> = listOf(
    { it.with(RetryPolicy.ADAPTIVE_STEADY) },
    { it.with(RetryPolicy.NONE) },
    { it.with(DeadlineSource { null }) },
    { it.with(RetryListener { }) },
    { it.apply { update(RetryPolicy.ANY_EXCEPTION) } },
)

class RetrierNameTest :
    FunSpec({
        test("a name is in all that a retrier tells, whatever is changed of it") {
            checkAll(200, Arb.element("users", "a b", "orders:443").orNull(0.2), Arb.list(Arb.element(CHANGES), 0..5)) {
                    name,
                    changes,
                ->
                val told = mutableListOf<RetryEvent>()
                val named = Retrier.builder().name(name).listener { told += it }.waiter { }.build()
                val retrier = changes.fold(named) { it, change -> change(it) }
                val thrown = shouldThrow<IOException> { retrier { throw IOException() } }
                val trace = RetryTrace.of(thrown)!!

                retrier.name shouldBe name
                told.shouldNotBeEmpty()
                told.forEach { it.retrier shouldBe name }
                trace.retrier shouldBe name
                trace.message shouldStartWith (name?.let { "$it: " } ?: "") + "${trace.attempts} attempt"
                "$retrier" shouldStartWith if (name == null) "Retrier(RetryPolicy(" else "Retrier($name, RetryPolicy("
            }
        }

        test("a name is not blank, and a text of many lines stays one line in the trace") {
            Retrier().name.shouldBeNull()
            shouldThrow<IllegalArgumentException> { Retrier(RetryPolicy.STANDARD) { name = " " } }.message shouldBe
                "name must not be blank: ' '"
            val forged = Retrier(RetryPolicy.NONE) { name = "users\n    attempt 9: forged" }
            val thrown = shouldThrow<IOException> { forged { throw IOException() } }
            RetryTrace.of(thrown)!!.message shouldNotContain "forged"
        }
    })
