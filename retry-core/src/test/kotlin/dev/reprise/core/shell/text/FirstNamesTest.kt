package dev.reprise.core.shell.text

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.util.concurrent.CompletableFuture
import kotlin.concurrent.thread

class FirstNamesTest :
    FunSpec({
        test("the first names have values of their own, later ones share that of other, and each value is made once") {
            checkAll(Arb.int(0..4), Arb.list(Arb.element("a", "b", "c", "d", "e", " ").orNull(0.1), 0..30)) {
                    most,
                    names,
                ->
                val made = mutableListOf<String>()
                val values = FirstNames(most) { it.also(made::add) }
                val first = names.filterNot { it.isNullOrBlank() }.distinct().take(most)

                names.forEach {
                    values[it] shouldBe
                        if (it.isNullOrBlank()) "unnamed" else it.takeIf(first::contains) ?: "other"
                }

                made.distinct() shouldBe made
            }
        }

        test("whoever asks for a name whose value is being made gets that value") {
            val made = mutableListOf<String>()
            val second = CompletableFuture<String>()
            lateinit var values: FirstNames<String>
            values = FirstNames(1) { name ->
                made += name
                val asking = thread { second.complete(values["all"]) }
                // It has an answer already, or waits for this one.
                while (!second.isDone && asking.state != Thread.State.BLOCKED) Thread.onSpinWait()
                name
            }

            values["all"] shouldBe "all"

            second.get() shouldBe "all"
            made shouldContainExactly listOf("all")
        }
    })
