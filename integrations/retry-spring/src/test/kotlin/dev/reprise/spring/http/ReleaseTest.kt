package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.java.internal.ReadAhead
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import org.springframework.http.HttpMethod
import org.springframework.http.HttpStatus

private fun ReadAhead.whole() = if (isWhole) bytes().size else null

/** How a response is closed that is not delivered: Spring reads a body to its end, which may never come. */
class ReleaseTest :
    FunSpec({
        test("a response that was read whole is closed, and its connection is used again") {
            val response = RecordedResponse(HttpStatus.SERVICE_UNAVAILABLE, ByteArray(10))
            val outcome = RestOutcome(response, HttpMethod.GET, goodBytes = 0, RetryPolicy.HTTP)
            outcome.body?.size shouldBe 10
            outcome.close()
            response.closed shouldContainExactly listOf("response")
        }

        test("a longer one, or one that was left alone, has its body closed first") {
            val large = RecordedResponse(HttpStatus.SERVICE_UNAVAILABLE, ByteArray(1_000_000))
            val good = RecordedResponse(HttpStatus.OK, ByteArray(10), "Content-Type" to "text/event-stream")
            for (response in listOf(large, good)) {
                val outcome = RestOutcome(response, HttpMethod.GET, goodBytes = 0, RetryPolicy.HTTP)
                outcome.body shouldBe null
                outcome.close()
                response.closed shouldContainExactly listOf("body", "response")
            }
        }

        for (size in listOf(1, 8 * 1024 - 1, 8 * 1024, 8 * 1024 + 1, 64 * 1024)) {
            test("a body of $size bytes is held if as many may be read; one that says it is longer is left alone") {
                fun held(length: Int, vararg headers: Pair<String, String>) =
                    HeldBody.of(RecordedResponse(HttpStatus.OK, ByteArray(length), *headers), HttpMethod.GET, 200, size)
                held(size, "Content-Length" to "$size").shouldNotBeNull().whole() shouldBe size
                held(size).shouldNotBeNull().whole() shouldBe size
                held(size + 1, "Content-Length" to "${size + 1}") shouldBe null
                val longer = held(size + 1).shouldNotBeNull()
                longer.isWhole shouldBe false
                longer.body(null).readNBytes(size + 1).size shouldBe size + 1
            }
        }
    })
