package dev.reprise.okhttp

import dev.reprise.core.ErrorTable
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.ResponseBody.Companion.toResponseBody
import retrofit2.HttpException
import retrofit2.Response
import java.io.IOException
import java.util.concurrent.ExecutionException

private class Status(override val status: Int) : HttpOutcome() {
    override fun header(name: String): String? = null
}

private fun thrown(status: Int, vararg retryAfter: String, receivedAt: Long = 77): HttpException {
    val raw = okhttp3.Response.Builder().request(Request.Builder().url("http://one/").build())
        .protocol(Protocol.HTTP_1_1).code(status).message("").receivedResponseAtMillis(receivedAt)
    retryAfter.forEach { raw.addHeader("Retry-After", it) }
    return HttpException(Response.error<String>("".toResponseBody(), raw.build()))
}

class RetrofitErrorsTest :
    FunSpec({
        test("an HttpException is judged by its status as the standard table judges a response, also as a cause") {
            val policies = Arb.element(RetryPolicy.STANDARD, RetryPolicy.ANY_EXCEPTION)
            checkAll(200, Arb.int(400..599), policies, Arb.boolean()) { status, policy, isWrapped ->
                val failure = thrown(status).let { if (isWrapped) ExecutionException(it) else it }
                val classifier = policy.with { classifyFirst(RetrofitErrors) }.classifier
                classifier.classifyFailure(failure) shouldBe
                    (ErrorTable.STANDARD.classifyResult(Status(status)) as? Verdict.Retry ?: Verdict.Reject)
            }
        }

        test("Retry-After is followed, and other exceptions are none of its own") {
            val waiter = NotingWaiter()
            val policy = RetryPolicy.HTTP.with { classifyFirst(RetrofitErrors) }
            val retrier = JavaRetrier.builder(policy).waiter(waiter).build()
            shouldThrow<HttpException> { retrier.call<String, HttpException> { throw thrown(503, "7") } }
            waiter.millis shouldContainExactly listOf(7_000, 7_000)
            val outcome = RetrofitErrors.responseOf(thrown(503))!!
            outcome.status to outcome.receivedAtEpochMillis shouldBe (503 to 77L)
            val now = System.currentTimeMillis()
            RetrofitErrors.responseOf(thrown(503, receivedAt = 0))!!.receivedAtEpochMillis shouldBeGreaterThanOrEqual
                now
            val twice = RetrofitErrors.responseOf(thrown(503, "7", "9"))!!
            listOf("Retry-After", "retry-after", "x-should-retry").map(twice::header) shouldBe listOf("7", "7", null)
            RetrofitErrors.responseOf(IOException(ExecutionException(null))).shouldBeNull()
            RetrofitErrors.classifyFailure(thrown(503)).shouldBeNull()
        }
    })
