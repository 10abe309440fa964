package dev.reprise.okhttp

import dev.reprise.faults.Certificates
import dev.reprise.faults.Held
import dev.reprise.faults.Kind
import dev.reprise.faults.Matrix
import dev.reprise.faults.MatrixPage
import dev.reprise.faults.Observation
import dev.reprise.faults.Scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.Call
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.ResponseBody
import okio.Buffer
import retrofit2.Retrofit
import retrofit2.http.GET
import retrofit2.http.POST
import retrofit2.http.PUT
import retrofit2.http.Streaming
import retrofit2.http.Url
import java.net.URI
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds
import retrofit2.http.Body as Payload

private const val COLUMN = "OkHttp"

private interface AnyApi {
    @GET
    fun load(@Url url: String): retrofit2.Call<ResponseBody>

    @Streaming
    @GET
    fun stream(@Url url: String): retrofit2.Call<ResponseBody>

    @POST
    fun save(@Url url: String, @Payload body: RequestBody): retrofit2.Call<ResponseBody>

    @PUT
    fun put(@Url url: String, @Payload body: RequestBody): retrofit2.Call<ResponseBody>
}

/** OkHttp does what `docs/figures/http-faults.csv` says: interceptor, call factory, enqueued calls and Retrofit. */
class MatrixPageTest :
    FunSpec({
        val retries = quickly {
            attemptTimeout = 2.seconds
            quota = null
        }

        // Its own repeats are off where they are not ours to see.
        fun client() = OkHttpClient.Builder()
            .retryOnConnectionFailure(false)
            .readTimeout(3, TimeUnit.SECONDS)
            .sslSocketFactory(Certificates.clientContext().socketFactory, Certificates.trustManager())
            .build()

        val faces = Face.entries.associate { face ->
            "$face" to { MatrixClient(face, face.calls(retries, client())) }
        } + ("RETROFIT" to { RetrofitClient(RetryingCallFactory(client(), retries)) }) +
            (
                "FACTORY over one that packs bodies" to {
                    val below = client().newBuilder().addInterceptor(packing).build()
                    MatrixClient(Face.FACTORY, RetryingCallFactory(below, retries))
                }
                )

        // All of them with -Dnightly; else one that blocks and one that does not.
        val played = if (System.getProperty("nightly") == null) setOf("INTERCEPTOR", "FACTORY_ENQUEUED") else faces.keys

        for ((name, sender) in faces.filterKeys { it in played }) {
            val matrix by lazy {
                Matrix.of(sender(), true, Matrix.AFTER_THE_HEAD).also {
                    val writes = name == "INTERCEPTOR" && java.lang.Boolean.getBoolean("faults.update")
                    if (writes) MatrixPage().write(COLUMN, it)
                }
            }
            val page by lazy { MatrixPage() }

            // A call factory makes no web sockets.
            for (scenario in Scenario.all().filter { it.held() != Held.SOCKET || name.startsWith("INTERCEPTOR") }) {
                test("$name does what docs/figures/http-faults.csv says of $scenario") {
                    val found = matrix
                    val expected = page.cell(COLUMN, scenario)

                    found.cell(scenario, expected) shouldBe expected
                }
            }
        }
    })

/** Reads bodies before there is a connection, as to sign or to compress them. */
private val packing = Interceptor { chain ->
    val request = chain.request()
    val read = request.body?.let { body -> Buffer().also(body::writeTo).readByteString().toRequestBody() }
    chain.proceed(request.newBuilder().method(request.method, read).build())
}

private fun observed(send: () -> Pair<Int, String>): Observation =
    Observation.of { send().let { (status, body) -> Observation.of(status, body) } }

private class MatrixClient(private val face: Face, private val calls: Call.Factory) : Matrix.Client {
    override fun send(kind: Kind, uri: URI) =
        observed { face.send(calls.newCall(requestOf(kind, uri))).use { it.code to it.body.string() } }

    override fun hold(held: Held, uri: URI): Observation? = when (held) {
        Held.EVENTS -> observed {
            face.send(calls.newCall(requestOf(Kind.GET, uri))).use { it.code to it.body.firstEvent() }
        }

        Held.SOCKET -> (calls as? OkHttpClient)?.let { observed { 200 to it.firstMessage(requestOf(Kind.GET, uri)) } }
    }
}

private class RetrofitClient(calls: Call.Factory) : Matrix.Client {
    private val api =
        Retrofit.Builder().baseUrl("http://localhost/").callFactory(calls).build().create(AnyApi::class.java)

    override fun send(kind: Kind, uri: URI) = observed {
        val call = when (kind) {
            Kind.GET -> api.load("$uri")
            Kind.POST -> api.save("$uri", kind.payload(uri).toRequestBody())
            Kind.ONE_SHOT_PUT -> api.put("$uri", OneShot(kind.payload(uri)))
        }
        val response = call.execute()
        response.code() to (response.body() ?: response.errorBody()!!).string()
    }

    override fun hold(held: Held, uri: URI): Observation? = when (held) {
        Held.EVENTS -> observed {
            val response = api.stream("$uri").execute()
            (response.body() ?: response.errorBody()!!).use { response.code() to it.firstEvent() }
        }

        Held.SOCKET -> null
    }
}

private fun ResponseBody.firstEvent() = source().readUtf8LineStrict().removePrefix("data: ")

internal fun requestOf(kind: Kind, uri: URI): Request {
    val body = when (kind) {
        Kind.GET -> null
        Kind.POST -> kind.payload(uri).toRequestBody()
        Kind.ONE_SHOT_PUT -> OneShot(kind.payload(uri))
    }
    return Request.Builder().url("$uri").method(kind.method(), body).build()
}
