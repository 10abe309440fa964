@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.ktor.client.plugins.auth.Auth
import io.ktor.client.plugins.auth.providers.BearerTokens
import io.ktor.client.plugins.auth.providers.bearer
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.ExperimentalCoroutinesApi
import java.io.IOException

/** A server that takes the fresh token only, and then does [steps]. */
private fun onlyFresh(vararg steps: Handler): Handler {
    val accepted = scripted(*steps)
    val refused = status(401, "", "WWW-Authenticate" to "Bearer")
    return { request ->
        if (request.headers["Authorization"] == "Bearer fresh") accepted(request) else refused(request)
    }
}

class AuthTest :
    FunSpec({
        val failures = mapOf("a 503" to status(503), "a reset" to failing { IOException("reset") })
        for ((where, place) in placements) {
            for ((what, failure) in failures) {
                virtual("a refreshed token is used by the attempts that follow $what: Auth $where the plugin") {
                    var refreshes = 0
                    // Only after the plugin is the refusal of a token part of an attempt; before it, a call of its own.
                    val (before, after) = place {
                        install(Auth) {
                            bearer {
                                loadTokens { BearerTokens("old", null) }
                                refreshTokens {
                                    refreshes++
                                    BearerTokens("fresh", null)
                                }
                                sendWithoutRequest { true }
                            }
                        }
                    }
                    val handler = onlyFresh(failure, status(200, "there"))
                    val client = MockClient(this, handler = handler, before = before, after = after)

                    val response = client.http.get("http://localhost/")

                    response.bodyAsText() shouldBe "there"
                    response.retryReport.attempts shouldBe 2
                    refreshes shouldBe 1
                    client.requests.map { it.headers["Authorization"] } shouldBe
                        listOf("Bearer old", "Bearer fresh", "Bearer fresh")
                    client.delays shouldHaveSize 1
                    client.retrier.quota!!.available shouldBe 500
                }
            }
        }

        for ((where, place) in placements) {
            virtual(
                "a token that is refused for good ends the call at once, and costs nothing: Auth $where the plugin",
            ) {
                val (before, after) = place { install(Auth) { bearer { loadTokens { BearerTokens("old", null) } } } }
                val client = MockClient(this, handler = onlyFresh(status(200)), before = before, after = after)

                client.http.get("http://localhost/").status.value shouldBe 401

                client.delays shouldHaveSize 0
                client.retrier.quota!!.available shouldBe 500
            }
        }

        virtual("a caller's own credentials go with every attempt") {
            val client = MockClient(this, handler = answering(503, 200))

            client.http.get("http://localhost/") { headers["Authorization"] = "mine" }

            client.requests.map { it.headers.getAll("Authorization") } shouldBe List(2) { listOf("mine") }
        }
    })
