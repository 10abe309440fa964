package dev.reprise.okhttp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.OkHttpClient
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.ResponseBody
import retrofit2.Call
import retrofit2.Callback
import retrofit2.Response
import retrofit2.Retrofit
import retrofit2.http.Body
import retrofit2.http.GET
import retrofit2.http.POST
import retrofit2.http.Tag
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

private interface Api {
    @GET("/")
    fun load(): Call<ResponseBody>

    @POST("/")
    fun save(@Body body: RequestBody, @Tag tag: RetryTag?): Call<ResponseBody>

    @GET("/")
    suspend fun loadSuspending(): ResponseBody
}

class RetrofitTest :
    FunSpec({
        fun api(server: RawServer) = Retrofit.Builder()
            .baseUrl(server.url)
            .callFactory(RetryingCallFactory(OkHttpClient(), quickly()))
            .build()
            .create(Api::class.java)

        val replies = arrayOf(status(503), Reply.Close, status(200, "there"))

        test("Retrofit's blocking, enqueued and suspending calls are retried") {
            RawServer(*replies).use { api(it).load().execute().body()!!.string() shouldBe "there" }
            RawServer(*replies).use { server ->
                val future = CompletableFuture<String>()
                api(server).load().enqueue(
                    object : Callback<ResponseBody> {
                        override fun onResponse(call: Call<ResponseBody>, response: Response<ResponseBody>) {
                            future.complete(response.body()!!.string())
                        }

                        override fun onFailure(call: Call<ResponseBody>, t: Throwable) {
                            future.completeExceptionally(t)
                        }
                    },
                )
                future.get(30, TimeUnit.SECONDS) shouldBe "there"
            }
            RawServer(*replies).use { api(it).loadSuspending().string() shouldBe "there" }
        }

        test("a POST is sent once unless its tag allows more, and the report is in the raw response") {
            RawServer(*replies).use { server ->
                api(server).save("x".toRequestBody(), null).execute().code() shouldBe 503
                server.requests.size shouldBe 1
            }
            RawServer(*replies).use { server ->
                val response = api(server).save("x".toRequestBody(), RetryTag.IDEMPOTENT).execute()
                response.raw().retryReport.attempts shouldBe 3
            }
        }
    })
