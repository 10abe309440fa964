package dev.reprise.ktor

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

/** What stands in for the class of older coroutines. */
private class Old

class KtorVersionTest :
    FunSpec({
        test("an older Ktor is named in words, with what to do") {
            val thrown = shouldThrow<IllegalStateException> { KtorVersion.check { throw NoClassDefFoundError() } }

            thrown.message!! shouldContain "needs Ktor 3.4 or newer"
            thrown.message!! shouldContain "io.ktor:ktor-bom"
        }

        test("older coroutines are named in words, with what to do") {
            val thrown = shouldThrow<IllegalStateException> { KtorVersion.checkCoroutines(Old::class.java) }

            thrown.message!! shouldContain "needs kotlinx-coroutines 1.11.0 or newer"
            thrown.message!! shouldContain "declare the client's engine before any module of Reprise"
        }

        test("the Ktor of the build is new enough, and so are its coroutines") {
            KtorVersion.check()
            Retry.key.name shouldBe "Reprise"
        }
    })
