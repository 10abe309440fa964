package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Soak
import io.kotest.core.spec.style.FunSpec
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.web.client.RestClient
import java.net.http.HttpClient
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

class SoakTest :
    FunSpec({
        test("RestClient: many faulty calls lose nothing, double nothing and leak nothing").config(timeout = 1.hours) {
            val policy = RetryPolicy.HTTP.with {
                fixedBackoff(1.milliseconds)
                noQuota()
            }
            val below = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
            val factory = RetryingRequestFactory(
                JdkClientHttpRequestFactory(below),
                HttpRetries.builder().policy(policy).build(),
            )
            val client = RestClient.builder().requestFactory(factory).build()

            val figures = Soak.run { kind, uri ->
                client.send(kind, uri).let { (status, body) ->
                    body.takeIf {
                        status ==
                            200
                    }
                }
            }

            println("Spring RestClient: $figures")
            figures.check(32)
        }
    })
