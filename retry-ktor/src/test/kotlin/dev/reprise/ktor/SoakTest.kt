package dev.reprise.ktor

import dev.reprise.faults.Soak
import io.kotest.core.spec.style.FunSpec
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
                    figures.check(32)
                }
            }
        }
    })
