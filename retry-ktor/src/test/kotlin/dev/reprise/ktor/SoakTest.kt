package dev.reprise.ktor

import dev.reprise.faults.Soak
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.runBlocking
import kotlin.time.Duration.Companion.hours

class SoakTest :
    FunSpec({
        for (engine in Engine.entries) {
            test("$engine: many faulty calls lose nothing, double nothing and leak nothing").config(timeout = 1.hours) {
                engine.client { install(Retry) { policy = quick } }.use { client ->
                    val figures = Soak.run { kind, uri ->
                        runBlocking {
                            client.send(kind, uri).let { if (it.status.value == 200) it.bodyAsText() else null }
                        }
                    }

                    println("Ktor $engine: $figures")
                    figures.good + figures.failed shouldBe figures.calls
                    figures.mixedUp shouldBe 0
                    figures.doubled shouldBe 0
                    figures.openConnections shouldBeLessThanOrEqual 32
                    figures.moreThreads shouldBeLessThanOrEqual 32
                    figures.moreHeapBytes shouldBeLessThan (16L shl 20)
                }
            }
        }
    })
