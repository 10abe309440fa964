package dev.reprise.apachehttp

import dev.reprise.faults.Soak
import io.kotest.core.spec.style.FunSpec
import kotlin.time.Duration.Companion.hours

class SoakTest :
    FunSpec({
        test("many faulty calls lose nothing, double nothing and leak nothing").config(timeout = 1.hours) {
            quickly().client().use { client ->
                val figures = Soak.run { kind, uri ->
                    client.got(requestOf(kind, uri)).let { got -> got.body.takeIf { got.status == 200 } }
                }

                println("Apache HttpClient: $figures")
                figures.check(8)
            }
        }
    })
