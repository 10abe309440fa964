package dev.reprise.apachehttp

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.hc.core5.http.ContentType
import org.apache.hc.core5.http.io.entity.HttpEntities
import java.io.ByteArrayOutputStream

/** Rules and callers read the bodies of responses; the bodies of requests are sent as they are. */
class BodyTest :
    FunSpec({
        test("a rule reads good bodies up to its bound if their length is known, and the caller reads each whole") {
            val most = "x".repeat(BodyPeek.LEAST_FOR_RULES)
            val bodies = listOf("", "pending", most, most + "x")
            val chunked = Replies.raw(Replies.chunkedHead(200) + Replies.chunk("pending") + Replies.chunk(""), true)
            FaultServer(*bodies.map { Replies.status(200, it) }.toTypedArray(), chunked).use { server ->
                val read = mutableListOf<String?>()
                val rule = Classifier.results(BodyNeed.ALL) {
                    read += (it as ApacheOutcome).body?.decodeToString()
                    null
                }
                quickly { classifyFirst(rule) }.client().use { client ->
                    (bodies + "pending").map { client.get(server).body } shouldBe bodies + "pending"
                }
                read shouldBe listOf("", "pending", most, null, null)
            }
        }

        test("a good body that a rule rejects is asked for again") {
            FaultServer(Replies.status(200, "pending"), Fault.NONE).use { server ->
                val rule = Classifier.results(BodyNeed.ALL) {
                    if ((it as ApacheOutcome).body?.decodeToString() == "pending") Verdict.TRANSIENT else null
                }
                quickly { classifyFirst(rule) }.client().use { client ->
                    client.get(server).body shouldBe Fault.BODY
                    server.requests().size shouldBe 2
                }
            }
        }

        test("a failure of which a part was read is written out whole") {
            FaultServer(Replies.status(404, "not here")).use { server ->
                val retries = ApacheRetries.builder().policy(quickPolicy()).errorBodyBytes(3).build()
                retries.client().use { client ->
                    client.execute(request("GET", server.uri())) {
                        ByteArrayOutputStream().also(it.entity::writeTo).toString()
                    } shouldBe "not here"
                }
            }
        }

        test("a body that writes single bytes is sent as it is, each time") {
            val body = HttpEntities.create({ out -> "content".forEach { out.write(it.code) } }, ContentType.TEXT_PLAIN)
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                quickly().client().use { client ->
                    client.got(request("PUT", server.uri(), body)).body shouldBe Fault.BODY
                    server.bodies() shouldBe listOf("content", "content")
                }
            }
        }
    })
