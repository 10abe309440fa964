package dev.reprise.ktor

import dev.reprise.build.logged
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.string.shouldContain
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.retry
import io.ktor.client.request.get
import kotlinx.coroutines.runBlocking

class LeftOverRetryTest :
    FunSpec({
        test("a request's retry { } that is left from HttpRequestRetry is told once, with what to write") {
            val client = HttpClient(MockEngine { respond("ok") }) { install(Retry) }

            fun logged(block: suspend () -> Unit) = logged("dev.reprise") { runBlocking { block() } }

            logged { client.get("http://one.example/") { retryPolicy { maxAttempts = 2 } } }.shouldBeEmpty()
            val told = logged {
                client.get("http://one.example/") { retry { maxRetries = 5 } }
                client.get("http://two.example/") { retry { noRetry() } }
            }
            told shouldHaveSize 1
            told.single().message shouldContain "write retryPolicy { maxAttempts = … }"
        }

        test("HttpTimeout before Retry is told once if a request has a time limit, and after it or without one never") {
            fun client(block: HttpClientConfig<*>.() -> Unit) = HttpClient(MockEngine { respond("ok") }, block)

            fun logged(client: HttpClient): List<String> = logged("dev.reprise") {
                runBlocking { repeat(2) { client.get("http://one.example/") } }
            }.map { it.message }

            logged(
                client {
                    install(Retry)
                    install(HttpTimeout) { requestTimeoutMillis = 2_000 }
                },
            ).shouldBeEmpty()
            logged(
                client {
                    install(HttpTimeout) { socketTimeoutMillis = 2_000 }
                    install(Retry)
                },
            ).shouldBeEmpty()
            logged(
                client {
                    install(HttpTimeout) { requestTimeoutMillis = 2_000 }
                    install(Retry)
                },
            ).single() shouldContain "install Retry first"
        }
    })
