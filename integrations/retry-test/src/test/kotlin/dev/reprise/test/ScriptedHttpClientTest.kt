package dev.reprise.test

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

private const val THREADS = 4
private const val EACH = 2_000

class ScriptedHttpClientTest :
    FunSpec({
        test("threads that share a client get each response once") {
            val responses = List(THREADS * EACH) { ScriptedResponse.status(200 + it) }
            val client = ScriptedHttpClient(VirtualTime(), *responses.toTypedArray())
            val request = HttpRequest.newBuilder(URI("http://localhost/")).build()
            val start = CountDownLatch(1)
            val seen = List(THREADS) { mutableListOf<Int>() }
            val threads = seen.map { mine ->
                thread {
                    start.await()
                    repeat(EACH) { mine += client.send(request, BodyHandlers.discarding()).statusCode() }
                }
            }
            start.countDown()
            threads.forEach { it.join() }

            seen.flatten().sorted() shouldBe responses.indices.map { 200 + it }
            client.send(request, BodyHandlers.discarding()).statusCode() shouldBe 200 + responses.lastIndex
        }
    })
