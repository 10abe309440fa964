package dev.reprise.okhttp

import dev.reprise.faults.Soak
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.ConnectionPool
import okhttp3.OkHttpClient
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.seconds

class SoakTest :
    FunSpec({
        for (face in Face.entries) {
            test("$face: many faulty calls lose nothing, double nothing and leak nothing").config(timeout = 1.hours) {
                // OkHttp's own repeat of a POST on a kept connection is the client's affair: off, to see ours alone.
                val client = OkHttpClient.Builder()
                    .connectionPool(ConnectionPool(8, 1, TimeUnit.MINUTES))
                    .retryOnConnectionFailure(false)
                    .build()
                val calls = face.calls(quickly { quota = null }, client)

                val figures = Soak.run { kind, uri ->
                    val call = calls.newCall(requestOf(kind, uri))
                    face.send(call).use { if (it.code == 200) it.body.string() else null }
                }

                println("OkHttp $face: $figures")
                figures.check(8)
                // A call is taken off OkHttp's list after its callback has returned.
                eventually(30.seconds) { client.dispatcher.runningCallsCount() shouldBe 0 }
                client.connectionPool.connectionCount() shouldBe client.connectionPool.idleConnectionCount()
                client.dispatcher.executorService.shutdown()
                client.connectionPool.evictAll()
            }
        }
    })
