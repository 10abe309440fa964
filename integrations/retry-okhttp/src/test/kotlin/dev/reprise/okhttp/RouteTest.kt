package dev.reprise.okhttp

import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.faults.FaultServer
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import okhttp3.ConnectionSpec
import okhttp3.Dns
import okhttp3.OkHttpClient
import okhttp3.tls.HandshakeCertificates
import okhttp3.tls.HeldCertificate
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.Proxy
import java.net.UnknownServiceException

/** What stands between client and server: a proxy, or a connection that several hosts share. */
class RouteTest :
    FunSpec({
        fun through(port: Int) = OkHttpClient.Builder()
            .proxy(Proxy(Proxy.Type.HTTP, InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
            .build()

        for (face in Face.entries) {
            test("$face: what a proxy answers is retried through it, over one connection") {
                RawServer(status(503), status(200, "there")).use { proxy ->
                    val client = through(proxy.url.substringAfterLast(':').trimEnd('/').toInt())

                    val response = face.send(face.calls(quickly(), client).newCall(request("http://far.invalid/path")))

                    response.use { it.body.string() to it.retryReport.attempts } shouldBe ("there" to 2)
                    proxy.requests.map { it.line }.distinct() shouldBe listOf("GET http://far.invalid/path HTTP/1.1")
                    proxy.connections shouldBe 1
                }
            }

            test("$face: a proxy that refuses connections has sent nothing: a POST is tried again") {
                val client = through(FaultServer.refused().port)

                val thrown = shouldThrow<IOException> {
                    face.send(face.calls(quickly(), client).newCall(request("http://far.invalid/", "POST")))
                }

                RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 3
            }

            test(
                "$face: a proxy that wants credentials before it opens a tunnel is asked as often as by OkHttp alone",
            ) {
                val demand = "HTTP/1.1 407 Text\r\nProxy-Authenticate: Basic\r\nConnection: close\r\n\r\n"
                for (hasCredentials in listOf(false, true)) {
                    RawServer(Reply.Raw(demand, andClose = true)).use { proxy ->
                        val client = through(proxy.url.substringAfterLast(':').trimEnd('/').toInt()).newBuilder()
                        if (hasCredentials) {
                            client.proxyAuthenticator { _, response ->
                                response.request.newBuilder().header("Proxy-Authorization", "wrong").build()
                            }
                        }

                        val thrown = shouldThrow<IOException> {
                            face.send(face.calls(quickly(), client.build()).newCall(request("https://far.invalid/")))
                        }

                        proxy.requests.size shouldBe if (hasCredentials) 21 else 1
                        RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.REJECTED
                    }
                }
            }

            test("$face: cleartext that the client does not permit is not permitted the next time either") {
                val client = OkHttpClient.Builder().connectionSpecs(listOf(ConnectionSpec.MODERN_TLS)).build()

                val thrown = shouldThrow<UnknownServiceException> {
                    face.send(face.calls(quickly(), client).newCall(request("http://localhost/")))
                }

                RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 1
            }

            test("$face: hosts that share an HTTP/2 connection are retried over it, each with a quota of its own") {
                val names = listOf("a.test", "b.test")
                val certificate = HeldCertificate.Builder()
                    .apply { names.forEach(::addSubjectAlternativeName) }
                    .build()
                val theirs = HandshakeCertificates.Builder().heldCertificate(certificate).build()
                val ours = HandshakeCertificates.Builder().addTrustedCertificate(certificate.certificate).build()
                val server = MockWebServer()
                server.useHttps(theirs.sslSocketFactory())
                listOf(200, 503, 200).forEach { server.enqueue(MockResponse(code = it, body = "there")) }
                server.start()
                server.use {
                    val client = OkHttpClient.Builder()
                        .dns(
                            object : Dns {
                                override fun lookup(hostname: String) = listOf(InetAddress.getLoopbackAddress())
                            },
                        )
                        .sslSocketFactory(ours.sslSocketFactory(), ours.trustManager)
                        .build()
                    val calls = face.calls(quickly(), client)

                    val attempts = names.map { name ->
                        face.send(calls.newCall(request("https://$name:${server.port}/"))).use {
                            it.body.string()
                            it.retryReport.attempts
                        }
                    }

                    attempts shouldBe listOf(1, 2)
                    List(3) { server.takeRequest().connectionIndex }.distinct().size shouldBe 1
                }
            }
        }
    })
