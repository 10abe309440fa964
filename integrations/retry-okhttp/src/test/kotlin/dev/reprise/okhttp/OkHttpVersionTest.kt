package dev.reprise.okhttp

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import okhttp3.Interceptor

/** Has nothing of what the module needs, as OkHttp 4.12. */
private interface OldChain

class OkHttpVersionTest :
    FunSpec({
        test("an OkHttp that is too old is named in words, with its jar and the way out") {
            val message = shouldThrow<IllegalStateException> { OkHttpVersion.check(OldChain::class.java) }.message!!

            message shouldContain "OkHttp 5.4 or newer"
            message shouldContain "test-classes"
            message shouldContain "exclude"
            OkHttpVersion.check(Interceptor.Chain::class.java)
        }
    })
