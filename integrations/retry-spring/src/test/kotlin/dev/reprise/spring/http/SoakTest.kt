package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Soak
import io.kotest.core.spec.style.FunSpec
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

class SoakTest :
    FunSpec({
        for (below in Factory.entries) {
            test("RestClient, ${below.title}: many faulty calls lose nothing, double nothing and leak nothing")
                .config(timeout = 1.hours) {
                    val policy = RetryPolicy.HTTP.with {
                        fixedBackoff(1.milliseconds)
                        noQuota()
                    }
                    val client = below.client(HttpRetries.builder().policy(policy).build())

                    val figures = Soak.run { kind, uri ->
                        client.send(kind, uri).let { (status, body) -> body.takeIf { status == 200 } }
                    }

                    println("Spring RestClient, ${below.title}: $figures")
                    figures.check(32)
                }
        }
    })
