package dev.reprise.core.shell.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Exhaustive
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.boolean
import io.kotest.property.exhaustive.collection
import io.kotest.property.exhaustive.enum

class HttpRepeatsTest :
    FunSpec({
        val asked = (Repeat.entries + null).map { each ->
            CallOptions {
                operation = "pay"
                repeat = each
                longPolling = true
            }
        } + null

        test("a body that can be sent once is never safe to repeat, whatever is asked") {
            checkAll(Exhaustive.collection(asked), Exhaustive.boolean()) { options, isIdempotent ->
                val result = HttpRepeats.optionsOf(options, isIdempotent, isOneShot = true)

                result.repeat shouldBe if (options?.repeat == Repeat.NEVER) Repeat.NEVER else Repeat.IF_UNSENT
                result.operation shouldBe options?.operation
            }
        }

        test("what is asked holds for any other body, as it is") {
            val said = asked.filter { it?.repeat != null }
            checkAll(Exhaustive.collection(said), Exhaustive.boolean()) { options, isIdempotent ->
                HttpRepeats.optionsOf(options, isIdempotent, isOneShot = false) shouldBeSameInstanceAs options
            }
        }

        test("a request whose options do not say it is repeated if that does no harm, or if nothing was sent") {
            val unsaid = asked.filter { it?.repeat == null }
            checkAll(Exhaustive.collection(unsaid), Exhaustive.boolean()) { options, isIdempotent ->
                val result = HttpRepeats.optionsOf(options, isIdempotent, isOneShot = false)

                result.repeat shouldBe if (isIdempotent) Repeat.SAFE else Repeat.IF_UNSENT
                result.operation shouldBe options?.operation
                result.longPolling shouldBe (options != null)
            }
        }

        test("a body that can be sent once changes nothing else of what is asked") {
            val options = HttpRepeats.optionsOf(asked.first(), isIdempotent = true, isOneShot = true)

            options.operation shouldBe "pay"
            options.longPolling shouldBe true
        }

        test("a request that is sent once keeps its name") {
            checkAll(Exhaustive.collection(asked)) { options ->
                val once = HttpRepeats.once(options)

                once.repeat shouldBe Repeat.NEVER
                once.operation shouldBe options?.operation
            }
        }

        test("options without a name are made once") {
            checkAll(Exhaustive.enum<Repeat>()) { repeat ->
                HttpRepeats.optionsOf(repeat).repeat shouldBe repeat
                HttpRepeats.optionsOf(repeat) shouldBeSameInstanceAs HttpRepeats.optionsOf(repeat)
            }
        }
    })
