package dev.reprise.samples

import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryPolicy
import dev.reprise.okhttp.OkHttpRetries
import dev.reprise.okhttp.RetryInterceptor
import dev.reprise.okhttp.RetryTag
import dev.reprise.okhttp.RetryingCallFactory
import dev.reprise.okhttp.idempotent
import dev.reprise.okhttp.noRetry
import dev.reprise.okhttp.retryReport
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import okhttp3.Call
import okhttp3.Callback
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds

/** The snippets of the OkHttp guide, run. */
class OkHttpTest :
    FunSpec({
        fun server(vararg codes: Int) = MockWebServer().apply {
            codes.forEach { enqueue(MockResponse(code = it)) }
            start()
        }

        test("the interceptor") {
            server(503, 200).use { server ->
                val request = Request.Builder().url(server.url("/")).build()
                val logged = mutableListOf<String>()
                val log = { line: String -> logged += line }

                val client = OkHttpClient.Builder().addInterceptor(RetryInterceptor()).build()

                client.newCall(request).execute().use { response ->
                    val report = response.retryReport
                    log("$report")
                }

                logged.single().startsWith("2 attempts, stopped: success, waited ") shouldBe true
            }
        }

        test("the call factory") {
            server(503, 200).use { server ->
                val client = OkHttpClient()
                val request = Request.Builder().url(server.url("/")).build()
                val attempts = CompletableFuture<Int>()
                val callback = object : Callback {
                    override fun onFailure(call: Call, e: IOException) {
                        attempts.completeExceptionally(e)
                    }

                    override fun onResponse(call: Call, response: Response) {
                        attempts.complete(response.use { it.retryReport.attempts })
                    }
                }

                val calls = RetryingCallFactory(client)
                calls.newCall(request).enqueue(callback)

                attempts.get(20, TimeUnit.SECONDS) shouldBe 2
            }
        }

        test("configuration, and what a request says for itself") {
            server(503, 200, 503, 200, 503).use { server ->
                val url = server.url("/")
                val body = "content".toRequestBody()
                val retries = OkHttpRetries.builder()
                    .policy(
                        RetryPolicy.HTTP.with {
                            maxAttempts = 4
                            attemptTimeout = 2.seconds
                            deadline = 40.seconds
                            honourRetryAfter(cap = 30.seconds)
                        },
                    )
                    .listener(LoggingListener())
                    .errorBodyBytes(4096)
                    .build()
                val client = OkHttpClient()
                val calls = RetryingCallFactory(client, retries)
                fun attempts(request: Request) = calls.newCall(request).execute().use { it.retryReport.attempts }

                val builder = Request.Builder().url(url).post(body)
                builder.tag(RetryTag::class.java, RetryTag.IDEMPOTENT)
                attempts(builder.build()) shouldBe 2
                attempts(
                    Request.Builder().url(url).post(body).idempotent().build(),
                ) shouldBe 2
                attempts(
                    Request.Builder().url(url).noRetry().build(),
                ) shouldBe 1
            }
        }
    })
