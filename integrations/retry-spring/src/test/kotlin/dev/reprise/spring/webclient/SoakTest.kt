package dev.reprise.spring.webclient

import dev.reprise.core.Backoff
import dev.reprise.faults.Soak
import io.kotest.core.spec.style.FunSpec
import reactor.core.publisher.Mono
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

class SoakTest :
    FunSpec({
        for (connector in Connector.entries) {
            test(
                "$connector: many faulty calls lose nothing, double nothing and leak nothing",
            ).config(timeout = 1.hours) {
                val client = connector.client(quickly { backoff = Backoff.fixed(1.milliseconds) })

                val figures = Soak.run { kind, uri ->
                    client.sending(kind, uri).exchangeToMono { response ->
                        val isGood = response.statusCode().value() == 200
                        if (isGood) {
                            response.bodyToMono(String::class.java)
                        } else {
                            response.releaseBody().then(Mono.empty())
                        }
                    }.block()
                }

                println("Spring WebClient $connector: $figures")
                figures.check(32)
            }
        }
    })
