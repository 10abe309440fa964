package dev.reprise.ktor.server

import dev.reprise.core.RetryPolicyBuilder
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.plugins.ResponseException
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.Application
import io.ktor.server.application.install

class ThreeServersTest :
    FunSpec({
        /** How many requests the last of three servers gets for one call, when each that asks makes three attempts. */
        suspend fun atDeadLeaf(
            throws: Boolean = false,
            plug: Application.() -> Unit = { install(RetryUpstream) },
            changes: RetryPolicyBuilder.() -> Unit = {},
        ): Int = Chain().use { chain ->
            var url = chain.leaf()
            repeat(2) {
                val next = url
                val client = chain.client(throws, changes)
                url = chain.server(plug) { it.passOn(client.ask(next)) }
            }
            try {
                chain.client(throws, changes).ask(url).status shouldBe HttpStatusCode.ServiceUnavailable
            } catch (e: ResponseException) {
                e.response.status shouldBe HttpStatusCode.InternalServerError
            }
            chain.atLeaf.size
        }

        test("without the plugin three layers of three attempts send 27 requests") { atDeadLeaf(plug = {}) shouldBe 27 }

        test("with it they send 3, whether failures are responses or exceptions") {
            atDeadLeaf() shouldBe 3
            atDeadLeaf(throws = true) shouldBe 3
        }

        test("where only the numbers of attempts travel they send 7") {
            atDeadLeaf(changes = { honourShouldRetry = false }) shouldBe 7
        }
    })
