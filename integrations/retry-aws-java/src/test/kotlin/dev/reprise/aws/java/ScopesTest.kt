package dev.reprise.aws.java

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.CopyOnWriteArrayList

private val quick: RetryPolicy = RetryPolicy { backoff = Backoff.IMMEDIATE }

/** Calls in quota scopes are the strategy's: its listeners, changes and updates hold for them. */
class ScopesTest :
    FunSpec({
        val byTable = QuotaScope.byField("TableName")

        fun tables(make: (String) -> JavaRetrier = { JavaRetrier.of(quick) }) =
            RetrierCache<String, JavaRetrier>(10, make)

        test("the strategy's listeners hear the calls of scopes, and a listener of both hears them once") {
            val events = CopyOnWriteArrayList<RetryEvent>()
            val listener = RetryListener { events += it }
            for (tables in listOf(tables(), tables { JavaRetrier.builder(quick).listener(listener).build() })) {
                events.clear()
                val strategy = RepriseRetryStrategy.builder().policy(quick).listener(listener).scopes(tables, byTable)
                requests(strategy.build()) { it.getItem("a") }
                events.count { it is RetryEvent.CallStarted } shouldBe 1
                events.count { it is RetryEvent.CallGaveUp } shouldBe 1
            }
        }

        test("a policy that replaces the strategy's is in force in all scopes, and their retriers keep their own") {
            val tables = tables()
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
            requests(strategy) {
                it.getItem("a")
                strategy.update(RetryPolicy.NONE)
                it.getItem("a")
                it.getItem("b")
            } shouldBe 3 + 1 + 1
            tables["a"].policy() shouldBe quick
            tables["a"].retrier().quota!!.available shouldBe 472
        }

        test("an update fills no scope's quota and forgets no rate, whatever quota and rate the new policies name") {
            val tables = tables()
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
            val ratio = quick.toBuilder().quota(RatioQuotaSettings.FINAGLE).build()
            val two = quick.toBuilder().maxAttempts(2).build()
            for (policy in listOf(quick, RetryPolicy.STANDARD_STEADY, ratio, two)) {
                strategy.update(policy.toBuilder().backoff(Backoff.IMMEDIATE).build())
                requests(strategy) { client -> repeat(30) { client.getItem("a") } }
            }
            // 35 retries of 14 tokens, and none after them.
            tables["a"].retrier().quota!!.available shouldBe 10
        }

        test("a scope's retrier with options of its own is refused: no request is sent") {
            val tables = tables { JavaRetrier.of(quick).withOptions(CallOptions("read")) }
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
            requests(strategy) { it.getItem("a") } shouldBe 0
        }

        test("a scope's retrier may be updated") {
            val tables = tables()
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
            requests(strategy) {
                it.getItem("a")
                tables["a"].update(RetryPolicy.NONE)
                it.getItem("a")
                it.getItem("b")
            } shouldBe 3 + 1 + 3
        }

        test("what the SDK's builder changes is changed in all scopes, before and after an update") {
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables(), byTable).build()
            fun changed() = strategy.toBuilder().maxAttempts(2).build() as RepriseRetryStrategy
            val before = changed()
            requests(before) { it.getItem("a") } shouldBe 2
            strategy.update(quick.toBuilder().maxAttempts(4).build())
            requests(changed()) { it.getItem("a") } shouldBe 2
            requests(strategy) { it.getItem("a") } shouldBe 4
            before.update(RetryPolicy.NONE)
            requests(before) { it.getItem("a") } shouldBe 1
        }

        test("a scope in use is not evicted from the user's cache, and one that is made anew there is used at once") {
            val dropped = CopyOnWriteArrayList<String>()
            val tables = RetrierCache<String, JavaRetrier>(2, { JavaRetrier.of(quick) }, { name, _ -> dropped += name })
            val strategy = RepriseRetryStrategy.builder().policy(quick).scopes(tables, byTable).build()
            requests(strategy) {
                it.getItem("a")
                tables["b"]
                it.getItem("a")
                tables["c"]
                dropped shouldBe listOf("b")
                tables["a"].retrier().quota!!.available shouldBe 444
                tables["d"]
                tables["e"]
                it.getItem("a")
            }
            tables["a"].retrier().quota!!.available shouldBe 472
        }
    })
