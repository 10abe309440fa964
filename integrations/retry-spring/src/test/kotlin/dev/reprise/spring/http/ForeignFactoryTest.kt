package dev.reprise.spring.http

import dev.reprise.build.WaitingSpec
import dev.reprise.build.logged
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory
import org.springframework.http.client.SimpleClientHttpRequestFactory
import org.springframework.web.client.RestClient
import java.net.URI
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.measureTime

/** Clients that cannot be cut: Apache's under the interceptor, where nothing of ours stands below, and HttpURLConnection. */
class ForeignFactoryTest :
    WaitingSpec({
        // A process is told fifty things, and other tests have told some.
        beforeSpec {
            val told = WarningLog::class.java.getDeclaredField("told").apply { isAccessible = true }.get(null)
            (told as MutableSet<*>).clear()
        }

        test("Apache: a warning says so once, and the call does not wait for the response that it drops") {
            val told = logged("dev.reprise") {
                val head = "HTTP/1.1 503 Busy\r\nContent-Length: 3000\r\n\r\n"
                val trickle = Replies.pausing(50, head, *Array(600) { "busy " })
                FaultServer(Fault.NONE, trickle, Fault.NONE).use { server ->
                    val policy = RetryPolicy.HTTP.with {
                        noBackoff()
                        noQuota()
                    }
                    val below =
                        HttpComponentsClientHttpRequestFactory(HttpClients.custom().disableAutomaticRetries().build())
                    val client = RestClient.builder().requestFactory(below)
                        .requestInterceptor(RetryInterceptor(HttpRetries.builder().policy(policy).build())).build()
                    fun get() = client.get().uri(server.uri()).retrieve().body(String::class.java)
                    get()
                    measureTime { get() shouldBe Fault.BODY }.inWholeSeconds shouldBeLessThan 15
                }
            }
            told.count { "RetryingRequestFactory" in it.message } shouldBe 1
        }

        test("a hedge, which sends no copy here, is told once") {
            FaultServer(Fault.NONE, Fault.NONE).use { server ->
                val retries = HttpRetries.builder().policy(RetryPolicy.HTTP.with { hedge = Hedge() }).build()
                val client = Face.INTERCEPTOR.over(SimpleClientHttpRequestFactory(), retries)
                val told = logged("dev.reprise") {
                    repeat(2) { client.get().uri(server.uri()).retrieve().body(String::class.java) }
                }
                told.map { it.message }.filter { "hedge" in it } shouldBe
                    listOf("a policy has a hedge, and RestClient sends no copies")
            }
        }

        test("HttpURLConnection: a read that outlives its limit is warned of, and ends with the read timeout") {
            FaultServer(Replies.stallAfter(200, "good"), Fault.NONE).use { server ->
                val told = logged("dev.reprise") {
                    val policy = RetryPolicy.HTTP.with {
                        noBackoff()
                        noQuota()
                        attemptTimeout = 500.milliseconds
                    }
                    val retries = HttpRetries.builder().policy(policy).build()
                    val below = SimpleClientHttpRequestFactory().apply { setReadTimeout(4_000) }
                    val client = Face.INTERCEPTOR.over(below, retries)

                    fun get(uri: URI) = client.get().uri(uri).retrieve().body(String::class.java)
                    // A first call loads classes, perhaps for longer than an attempt may take.
                    FaultServer(Fault.NONE).use { other -> runCatching { get(other.uri()) } }
                    get(server.uri()) shouldBe Fault.BODY
                }
                told.count { "${server.uri().port}: an attempt still goes on" in it.message } shouldBe 1
            }
        }
    })
