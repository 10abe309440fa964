package dev.reprise.core.shell.http

import dev.reprise.core.Attempt
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe

private class Sent(override val sentNumber: Int, override val isLast: Boolean = false) : Attempt {
    override val number get() = 1
    override val lastFailure: Throwable? get() = null
    override val timeLeftNanos get() = Long.MAX_VALUE
    override val callId get() = 0L
}

private fun AttemptHeaders.told(vararg numbers: Int) = numbers.map { of(Sent(it)) }

class AttemptHeadersTest :
    FunSpec({
        test("retries carry their number, first attempts nothing") {
            val headers = AttemptHeaders.Settings(amzHeaders = false, numbersRetries = true, meshRetries = true)
                .ofCall(3, isNumbered = false)
            headers.told(1, 2, 3) shouldBe
                listOf(emptyMap(), mapOf("amz-sdk-request" to "attempt=2"), mapOf("amz-sdk-request" to "attempt=3"))
        }

        test("a request that brings a number of its own keeps it, and so does a face that sends none") {
            AttemptHeaders.Settings(amzHeaders = false, numbersRetries = true, meshRetries = true)
                .ofCall(3, isNumbered = true).told(1, 2) shouldBe listOf(emptyMap(), emptyMap())
            AttemptHeaders.Settings(amzHeaders = false, numbersRetries = false, meshRetries = true)
                .ofCall(3, isNumbered = false).told(1, 2) shouldBe listOf(emptyMap(), emptyMap())
        }

        test("a sidecar is told with every attempt that it may not repeat") {
            val none = mapOf("x-envoy-max-retries" to "0")
            val settings = AttemptHeaders.Settings(amzHeaders = false, numbersRetries = true, meshRetries = false)
            settings.ofCall(3, isNumbered = false).told(1, 2) shouldBe
                listOf(none, none + ("amz-sdk-request" to "attempt=2"))
            settings.ofCall(3, isNumbered = true).told(1, 2) shouldBe listOf(none, none)
        }

        test("the headers of the AWS SDKs come with every attempt: one name for a call, and the number with the most") {
            for (mesh in listOf(true, false)) {
                val settings = AttemptHeaders.Settings(amzHeaders = true, numbersRetries = false, meshRetries = mesh)
                val headers = settings.ofCall(3, isNumbered = true)
                val told = headers.told(1, 2, 4)
                told.map { it["amz-sdk-request"] } shouldBe
                    listOf("attempt=1; max=3", "attempt=2; max=3", "attempt=4; max=4")
                told.map { it["x-envoy-max-retries"] } shouldBe List(3) { if (mesh) null else "0" }
                told.map { it.getValue("amz-sdk-invocation-id") }.toSet().size shouldBe 1
                settings.ofCall(3, isNumbered = true).told(1).single()["amz-sdk-invocation-id"] shouldNotBe
                    told[0]["amz-sdk-invocation-id"]
            }
            AttemptHeaders.Settings(amzHeaders = true, numbersRetries = true, meshRetries = true)
                .ofCall(Int.MAX_VALUE, isNumbered = false).told(7).single()["amz-sdk-request"] shouldBe "attempt=7"
        }

        test("an attempt after which the call makes none says so, though the policy has more: it may serve a retry") {
            val settings = AttemptHeaders.Settings(amzHeaders = true, numbersRetries = true, meshRetries = true)
            for (most in listOf(3, Int.MAX_VALUE)) {
                val headers = settings.ofCall(most, isNumbered = false)
                listOf(1, 2, 7).map { headers.of(Sent(it, isLast = true))["amz-sdk-request"] } shouldBe
                    listOf("attempt=1; max=1", "attempt=2; max=2", "attempt=7; max=7")
            }
            val plain = AttemptHeaders.Settings(amzHeaders = false, numbersRetries = true, meshRetries = true)
            plain.ofCall(3, isNumbered = false).of(Sent(2, isLast = true))["amz-sdk-request"] shouldBe "attempt=2"
        }
    })
