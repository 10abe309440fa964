package dev.reprise.coroutines

import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineSource
import dev.reprise.core.NanoClock
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.SendRate
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.orNull
import io.kotest.property.arbitrary.triple
import io.kotest.property.checkAll
import java.time.Duration

private val QUOTAS: Arb<QuotaSettings?> = Arb.element(
    null,
    TokenBucketSettings.STANDARD,
    TokenBucketSettings { capacity(100) },
    SteadyQuotaSettings.DEFAULT,
    SteadyQuotaSettings { leastCapacity(100) },
    RatioQuotaSettings.FINAGLE,
    RatioQuotaSettings { perSecond(0) },
)

private val RATES: Arb<SendRateSettings?> = Arb.element(
    null,
    SendRateSettings.EXACT,
    SendRateSettings { beta(0.5) },
    SendRateSettings.STEADY,
    SendRateSettings.STEADY.with { minFillRate(2.0) },
)

/** Another policy, as an update or as another retrier, and then tokens that are taken. */
private fun <T> changes(settings: Arb<T>): Arb<List<Triple<T, Boolean, Int>>> =
    Arb.list(Arb.triple(settings, Arb.boolean(), Arb.int(0..60)), 1..12)

private fun Retrier.under(policy: RetryPolicy, isUpdate: Boolean): Retrier =
    if (isUpdate) apply { update(policy) } else with(policy)

private val Quota.share: Double? get() = if (capacity == 0) null else available.toDouble() / capacity

/** What a policy names is in force, whatever was before, and a change of policy fills nothing. */
class PolicyInForceTest :
    FunSpec({
        test("the quota is of the type that the policy names, through any changes") {
            checkAll(QUOTAS, changes(QUOTAS)) { first, changes ->
                var retrier = Retrier(RetryPolicy { quota = first })
                for ((settings, isUpdate, tokens) in changes) {
                    retrier = retrier.under(RetryPolicy { quota = settings }, isUpdate)
                    retrier.quota?.javaClass shouldBe settings?.newQuota(Retrier.SYSTEM_CLOCK)?.javaClass
                    retrier.quota?.tryTake(tokens, null)
                }
            }
        }

        test("a quota of another type begins with the share that was left, so going round refills nothing") {
            checkAll(QUOTAS, changes(QUOTAS)) { first, changes ->
                var retrier = Retrier(RetryPolicy { quota = first }) { clock = NanoClock { 0 } }
                var left = 1.0
                for ((settings, isUpdate, tokens) in changes) {
                    retrier = retrier.under(RetryPolicy { quota = settings }, isUpdate)
                    val quota = retrier.quota ?: continue
                    withClue("$quota after $left") {
                        val share = quota.share ?: left
                        share shouldBeLessThanOrEqualTo left
                        // Rounded down to whole tokens each time.
                        if (left == 1.0) share shouldBe 1.0
                    }
                    quota.tryTake(tokens, null)
                    left = quota.share ?: left
                }
            }
        }

        test("a quota of the same type is the same one, also behind policies without a quota") {
            checkAll(Arb.boolean(), Arb.boolean()) { isUpdate, isUpdateAgain ->
                val retrier = Retrier(RetryPolicy { quota = TokenBucketSettings.STANDARD })
                val first = retrier.quota
                retrier.under(RetryPolicy.NONE, isUpdate)
                    .under(RetryPolicy { quota = TokenBucketSettings { capacity(7) } }, isUpdateAgain)
                    .quota shouldBeSameInstanceAs first
            }
        }

        test("a quota that was given is the retrier's, also if its first policy has none") {
            val shared = RetryQuota(500, 20)
            val retrier = Retrier(RetryPolicy.NONE) { quota = shared }
            retrier.with(RetryPolicy.STANDARD).quota shouldBeSameInstanceAs shared
            retrier.update(RetryPolicy.STANDARD)
            retrier.quota shouldBeSameInstanceAs shared
            retrier.update(RetryPolicy { quota = SteadyQuotaSettings { leastCapacity(100) } })
            retrier.quota!!.available shouldBe 4
        }

        test("retries that were made free stay free, through any changes") {
            checkAll(changes(QUOTAS)) { changes ->
                var retrier = Retrier(RetryPolicy.STANDARD) { quota = null }
                retrier = retrier.with(RetryListener { })
                for ((settings, isUpdate) in changes) {
                    retrier = retrier.under(RetryPolicy { quota = settings }, isUpdate)
                    retrier.quota.shouldBeNull()
                }
            }
        }

        test(
            "the send rate has the settings that the policy names, and what was learnt lives on, through any changes",
        ) {
            checkAll(RATES, changes(RATES)) { first, changes ->
                var now = 0L
                var retrier = Retrier(RetryPolicy { sendRate = first }) { clock = NanoClock { now } }
                var learnt: SendRate? = null
                for ((settings, isUpdate, tokens) in changes) {
                    val before = learnt?.run { state.tokensAt(now) }
                    retrier = retrier.under(RetryPolicy { sendRate = settings }, isUpdate)
                    val rate = retrier.sendRate
                    rate?.settings shouldBe settings
                    if (rate == null) continue
                    if (learnt == null) rate.record(throttled = true, sentAt = now, now = now + MILLI)
                    rate.isOn shouldBe true
                    if (learnt != null) {
                        rate.sendRate shouldBe learnt.sendRate
                        rate.measuredRate shouldBe learnt.measuredRate
                        rate.state.tokensAt(now) shouldBeLessThanOrEqualTo before!!
                    }
                    now += tokens * MILLI
                    repeat(tokens) { rate.tryTake(now) }
                    learnt = rate
                }
            }
        }

        test("a send rate that was given is the retrier's, also if its first policy has none") {
            val shared = SendRate(SendRateSettings.EXACT, 0)
            val retrier = Retrier(RetryPolicy.NONE) { sendRate = shared }
            retrier.sendRate.shouldBeNull()
            retrier.update(RetryPolicy { sendRate = SendRateSettings.EXACT })
            retrier.sendRate shouldBeSameInstanceAs shared
        }

        test(
            "a send rate that was given stays the retrier's, unless a policy names other settings than the one before",
        ) {
            val own = SendRateSettings.STEADY.with { quietSeconds(60.0) }
            checkAll(Arb.element(own, SendRateSettings.EXACT, null), Arb.boolean(), Arb.boolean()) {
                    named,
                    isUpdate,
                    isAside,
                ->
                val shared = SendRate(own, 0)
                var retrier = Retrier(RetryPolicy { sendRate = named }) { sendRate = shared }
                if (isAside) retrier = retrier.under(RetryPolicy.NONE, isUpdate)
                val settings = named ?: SendRateSettings.EXACT
                retrier = retrier.under(
                    RetryPolicy {
                        sendRate = settings
                        maxAttempts = 7
                    },
                    isUpdate,
                )
                retrier.sendRate shouldBeSameInstanceAs shared
                shared.settings shouldBe own
                val other = settings.with { minFillRate(7.0) }
                retrier = retrier.under(RetryPolicy { sendRate = other }, isUpdate)
                retrier.sendRate!!.settings shouldBe other
                (retrier.sendRate === shared) shouldBe isUpdate
            }
        }

        test("sources of deadlines add up: the shortest counts, and each is asked once") {
            checkAll(Arb.list(Arb.element(0L, 1L, 100L, 5_000L).orNull(0.3), 0..5), Arb.boolean()) { limits, isBuilt ->
                var asked = 0
                val sources = limits.map { limit ->
                    DeadlineSource {
                        asked++
                        limit?.let(Duration::ofMillis)
                    }
                }
                val first = Retrier(RetryPolicy.NONE) { if (isBuilt) deadlines = sources.firstOrNull() }
                val retrier = sources.drop(if (isBuilt) 1 else 0).fold(first) { made, source -> made.with(source) }
                val options = retrier.with(
                    RetryListener {
                    },
                ).with(RetryPolicy.STANDARD).setup.bounded(CallOptions.DEFAULT)
                options.deadline?.inWholeMilliseconds shouldBe limits.filterNotNull().minOrNull()
                asked shouldBe limits.size
            }
        }
    })

private const val MILLI = 1_000_000L
