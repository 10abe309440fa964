package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.IOException

private fun isUnsent(failure: Throwable) = (EngineErrors.classifyFailure(failure) as? Verdict.Retry)?.unsent == true

class RefusedStreamTest :
    FunSpec({
        test("a stream that the server refused was not processed, whoever says so and however deep") {
            val refusals = listOf(
                "stream was reset: REFUSED_STREAM",
                "Received RST_STREAM: Stream not processed",
                "request not processed by peer",
            )
            for (text in refusals) {
                isUnsent(IOException(text)) shouldBe true
                isUnsent(RuntimeException(IOException("wrapped", IOException(text)))) shouldBe true
            }
        }

        test("a stream that was reset for another reason may have been processed") {
            for (text in listOf(
                "stream was reset: CANCEL",
                "stream was reset: INTERNAL_ERROR",
                "Received RST_STREAM: Stream cancelled",
            )) {
                isUnsent(IOException(text)) shouldBe false
            }
            isUnsent(IllegalStateException("stream was reset: REFUSED_STREAM")) shouldBe false
        }
    })
