package dev.reprise.okhttp

import dev.reprise.faults.Twins
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.Call
import okhttp3.Credentials
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody

/** A request that needs no retry ends as it would without Reprise, whatever its method and its response. */
class TwinsTest :
    FunSpec({
        val client = OkHttpClient.Builder()
            .authenticator { _, response ->
                val isFirst = response.request.header("Authorization") == null
                val asked = response.request.newBuilder().header("Authorization", Credentials.basic("a", "b"))
                if (isFirst) asked.build() else null
            }
            .build()

        fun twin(face: Face, calls: Call.Factory) = Twins.Client { asked, uri ->
            val body = asked.body.toRequestBody().takeIf { asked.body.isNotEmpty() }
            val request = Request.Builder().url("$uri").method(asked.method, body).build()
            face.send(calls.newCall(request)).use { "${it.code} ${it.message} ${it.headers} ${it.body.string()}" }
        }

        for (face in Face.entries) {
            test("$face: with and without Reprise alike") {
                Twins.differences(twin(face, client), twin(face, face.calls(quickly(), client))) shouldBe ""
            }
        }
    })
