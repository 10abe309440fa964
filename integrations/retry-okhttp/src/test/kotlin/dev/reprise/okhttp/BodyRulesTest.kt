package dev.reprise.okhttp

import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryTrace
import dev.reprise.core.Statuses
import dev.reprise.core.StopReason
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.faults.Certificates
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import okhttp3.OkHttpClient
import java.io.IOException
import java.util.zip.CRC32

/** Rules that look at messages, checksums and certificates work here as on the other HTTP faces. */
class BodyRulesTest :
    FunSpec({
        fun crc(text: String) = "x-amz-crc32: ${CRC32().apply { update(text.toByteArray()) }.value}"

        for (face in Face.entries) {
            test("$face: a rule about messages sees them without a setting, and the caller reads them too") {
                val slow = ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(400), message = "slow down")
                val retries = quickly { classifier = Classifier.firstOf(ErrorTable(slow), TransportErrors) }
                val again = """{"message": "please slow down"}"""
                RawServer(status(400, again), status(400, """{"message": "no"}""")).use { server ->
                    face.send(face.calls(retries).newCall(request(server.url))).use {
                        it.body.string() shouldBe """{"message": "no"}"""
                        it.retryReport.attempts shouldBe 2
                    }
                }
                RawServer(status(400, again)).use { server ->
                    face.send(face.calls(retries).newCall(request(server.url))).use { it.body.string() } shouldBe again
                }
            }

            test("$face: a body that does not fit its checksum is damaged, whatever its status") {
                val retries = quickly { classifyFirst(Crc32Check()) }
                RawServer(status(200, "whOle", crc("whole")), status(200, "whole", crc("whole"))).use { server ->
                    face.send(face.calls(retries).newCall(request(server.url))).use {
                        it.body.string() to it.retryReport.attempts
                    } shouldBe ("whole" to 2)
                }
            }

            test("$face: a good body without a length may be a stream, and is not waited for") {
                val retries = quickly { classifyFirst(Crc32Check()) }
                val stream = Reply.Stall("HTTP/1.1 200 OK\r\nx-amz-crc32: 1\r\n\r\nfirst\n")
                RawServer(stream).use { server ->
                    face.send(face.calls(retries).newCall(request(server.url))).use {
                        it.body.source().readUtf8LineStrict() shouldBe "first"
                    }
                }
            }

            test("$face: a 304 has no body to wait for, also with the length of what it stands for") {
                val retries = OkHttpRetries.builder().policy(quickPolicy()).errorBodyBytes(512).build()
                RawServer(Reply.Stall("HTTP/1.1 304 Same\r\nContent-Length: 900\r\n\r\n")).use { server ->
                    val took = millis {
                        face.send(face.calls(retries).newCall(request(server.url))).use { it.code shouldBe 304 }
                    }
                    // OkHttp would read for ten seconds.
                    took shouldBeLessThan 9_000
                }
            }

            test("$face: a certificate that is not trusted, or of another host, is final, with whatever retrier") {
                val brought = OkHttpRetries.of(JavaRetrier.of(quickPolicy()))
                val trust = Certificates.trusting()
                val trusting = OkHttpClient.Builder().sslSocketFactory(
                    trust.sslSocketFactory(),
                    trust.trustManager,
                ).build()
                for (retries in listOf(OkHttpRetries.standard(), brought)) {
                    for ((client, host) in listOf(OkHttpClient() to "localhost", trusting to "127.0.0.1")) {
                        FaultServer(Certificates.sockets(), Fault.NONE).use { server ->
                            val url = "https://$host:${server.uri().port}/"
                            val thrown = shouldThrow<IOException> {
                                face.send(face.calls(retries, client).newCall(request(url)))
                            }
                            val trace = RetryTrace.of(thrown)!!
                            trace.reason to trace.attempts shouldBe (StopReason.REJECTED to 1)
                        }
                    }
                }
            }
        }
    })
