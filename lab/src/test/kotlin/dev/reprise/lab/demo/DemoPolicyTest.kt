package dev.reprise.lab.demo

import dev.reprise.build.logged
import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.ktor.Retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import kotlinx.coroutines.runBlocking

class DemoPolicyTest :
    FunSpec({
        test("the demo's policy is one that an HTTP client takes without a warning") {
            val retrier = Retrier(Scenes.POLICY)
            val client = HttpClient(MockEngine { respond("ok") }) {
                install(Retry) { retriers = RetrierCache(1) { retrier } }
            }
            logged("dev.reprise") { runBlocking { client.get("http://demo.example/") } }.shouldBeEmpty()
        }
    })
