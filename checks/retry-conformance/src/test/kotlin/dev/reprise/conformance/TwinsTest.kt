package dev.reprise.conformance

import dev.reprise.core.Backoff
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.PolicyJson
import dev.reprise.test.RecordedCall
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.element
import io.kotest.property.checkAll
import kotlinx.coroutines.runBlocking
import kotlin.time.Duration.Companion.milliseconds

/** Another way to the same policy, or to the same retrier. */
private enum class Way(val policy: (RetryPolicy) -> RetryPolicy = { it }, val retrier: (Retrier) -> Retrier = { it }) {
    DOCUMENT({ PolicyJson.read(PolicyJson.write(it)) }),
    MERGED_DOCUMENTS({ policy ->
        val element = PolicyJson.toElement(policy)
        PolicyJson.read(PolicyJson.merged(listOf(element, element)))
    }),
    BUILDER({ it.toBuilder().build() }),
    UPDATED(retrier = { it.apply { update(policy) } }),
    WITH_ITS_OWN_POLICY(retrier = { it.with(it.policy) }),
}

/** What [retrier] makes of the calls of [scenario], one after another. */
private fun played(scenario: Scenario, way: Way?, hasOwnQuota: Boolean = false): List<String> {
    val time = VirtualTime()
    val trace = Trace()
    var draws = 0
    val quota = scenario.quota?.let { RetryQuota(scenario.policy.quota!!.capacity, it) }
    val policy = way?.policy?.invoke(scenario.policy) ?: scenario.policy
    val made = Retrier(policy) {
        if (!hasOwnQuota) this.quota = quota
        listener(trace)
        clock = time
        this.draws = RandomSource { scenario.draws[draws++ % scenario.draws.size] }
        waiter = time.waiter
    }
    val retrier = way?.retrier?.invoke(made) ?: made
    for (call in scenario.calls) {
        trace.ended(SuspendFace.end(call.fresh(), retrier, time), time, retrier.quota?.available)
    }
    return trace.withOutcomes.lines()
}

/** Calls that are over in some ms, to be made in real time too. */
private val brief = arbitrary {
    val policy = policies().bind().with {
        attemptTimeout = null
        deadline = null
        maxAttempts = minOf(maxAttempts, 4)
        backoff = Backoff.fixed(1.milliseconds)
        serverDelays = emptyList()
    }
    val given = scenarios(steps(isHttp = false)).bind()
    val calls = given.calls.map { call ->
        val fresh = call.fresh()
        ScriptedCall(
            List(4) { fresh.next().let { Step(it.result, 0, it.failure) } },
            call.options.with { deadline = null },
        )
    }
    Scenario("brief", policy, calls, quota = policy.quota?.let { 60 })
}

private fun RecordedCall.told() = listOf(attempts, reason, netTokens, events.map { it.javaClass.simpleName })

/** Two ways to say the same thing make the same calls. */
class TwinsTest :
    FunSpec({
        test("a policy from its document, and a retrier that was updated to its own policy, make the same calls") {
            checkAll(200, scenarios(isHttp = false), Arb.element(Way.entries)) { scenario, way ->
                withClue({ "$way: $scenario" }) { played(scenario, way) shouldBe played(scenario, null) }
            }
        }

        test("a quota that is given, and shared with no one, is as the policy's own") {
            checkAll(100, scenarios(isHttp = false)) { given ->
                val full = Scenario(given.name, given.policy, given.calls, given.draws)
                withClue({ "$full" }) { played(full, null, hasOwnQuota = true) shouldBe played(full, null) }
            }
        }

        test("calls in real time are those of virtual time") {
            checkAll(20, brief) { scenario ->
                fun told(isReal: Boolean): List<Any?> {
                    val time = VirtualTime()
                    val recorder = Recorder()
                    val quota = scenario.quota?.let { RetryQuota(scenario.policy.quota!!.capacity, it) }
                    val retrier = Retrier(scenario.policy) {
                        this.quota = quota
                        listener(recorder)
                        if (!isReal) {
                            clock = time
                            waiter = time.waiter
                        }
                    }
                    for (call in scenario.calls.map { it.fresh() }) {
                        if (isReal) {
                            runBlocking { SuspendFace.make(call, retrier, time) }
                        } else {
                            SuspendFace.end(call, retrier, time)
                        }
                    }
                    return recorder.calls.map { it.told() } + quota?.available
                }
                withClue({ "$scenario" }) { told(isReal = true) shouldBe told(isReal = false) }
            }
        }
    })
