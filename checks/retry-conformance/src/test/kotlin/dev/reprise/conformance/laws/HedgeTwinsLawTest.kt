package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.Scenario
import dev.reprise.conformance.scenarios
import dev.reprise.core.Hedge
import dev.reprise.core.shell.values.isTimed
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.microseconds

/** Law 6: a hedge that sends no copy is invisible. Twins, with one and without, do the same at the same time. */
class HedgeTwinsLawTest :
    FunSpec({
        fun seen(face: Face, scenario: Scenario, hedge: Hedge?): List<String> {
            val policy = scenario.policy.with { this.hedge = hedge }
            val twin = Scenario("twin", policy, scenario.calls, scenario.draws, scenario.quota)
            val watched = face.play(twin).toString().lines().filterNot { "gets no copy" in it || "HedgeRefused" in it }
            return watched + face.play(twin, isWatched = false).endings
        }

        onFaces("a hedge that sends no copy changes nothing", Face.EVERY) { face ->
            checkAll(40, scenarios(isHttp = true)) { scenario ->
                val without = seen(face, scenario, hedge = null)
                val never = listOf(
                    Hedge(),
                    // Its time comes in each attempt that is no instant, and its budget never has a copy.
                    Hedge.after(1.microseconds, maxExtraLoad = 1e-9),
                    Hedge.after(100.days).takeUnless { scenario.policy.isTimed },
                )
                for (hedge in never.filterNotNull()) {
                    withClue({ "$hedge in $scenario" }) { seen(face, scenario, hedge) shouldBe without }
                }
            }
        }
    })
