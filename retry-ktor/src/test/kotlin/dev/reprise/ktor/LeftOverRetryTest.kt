package dev.reprise.ktor

import dev.reprise.build.logged
import dev.reprise.core.LoggingListener
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.string.shouldContain
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.retry
import io.ktor.client.request.get
import kotlinx.coroutines.runBlocking

class LeftOverRetryTest :
    FunSpec({
        test("a request's retry { } that is left from HttpRequestRetry is told once, with what to write") {
            val client = HttpClient(MockEngine { respond("ok") }) { install(Retry) }

            fun logged(block: suspend () -> Unit) = logged(LoggingListener.LOGGER) { runBlocking { block() } }

            logged { client.get("http://one.example/") { retryPolicy { maxAttempts = 2 } } }.shouldBeEmpty()
            val told = logged {
                client.get("http://one.example/") { retry { maxRetries = 5 } }
                client.get("http://two.example/") { retry { noRetry() } }
            }
            told shouldHaveSize 1
            told.single().message shouldContain "write retryPolicy { maxAttempts = … }"
        }
    })
