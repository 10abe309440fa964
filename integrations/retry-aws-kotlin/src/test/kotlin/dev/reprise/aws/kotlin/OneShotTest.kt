@file:OptIn(InternalApi::class)

package dev.reprise.aws.kotlin

import aws.sdk.kotlin.services.dynamodb.listTables
import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.ServiceException
import aws.smithy.kotlin.runtime.auth.awssigning.AwsSigningAttributes
import aws.smithy.kotlin.runtime.auth.awssigning.HashSpecification
import aws.smithy.kotlin.runtime.client.Interceptor
import aws.smithy.kotlin.runtime.client.ProtocolRequestInterceptorContext
import aws.smithy.kotlin.runtime.http.HttpBody
import aws.smithy.kotlin.runtime.http.request.HttpRequest
import aws.smithy.kotlin.runtime.http.request.toBuilder
import aws.smithy.kotlin.runtime.http.response.HttpResponse
import aws.smithy.kotlin.runtime.io.SdkByteReadChannel
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** A body that can be sent once. */
private object Once : HttpBody.ChannelContent() {
    override val contentLength = 2L
    override val isOneShot = true

    override fun readFrom() = SdkByteReadChannel("{}".encodeToByteArray())
}

/** The request with a body that can be sent once, and is not signed, as S3's are. */
private fun ProtocolRequestInterceptorContext<Any, HttpRequest>.streamed(): HttpRequest {
    executionContext[AwsSigningAttributes.HashSpecification] = HashSpecification.UnsignedPayload
    return protocolRequest.toBuilder().apply { body = Once }.build()
}

/** Gives each request such a body. */
private object Streamed : Interceptor<Any, Any, HttpRequest, HttpResponse> {
    override suspend fun modifyBeforeRetryLoop(context: ProtocolRequestInterceptorContext<Any, HttpRequest>) =
        context.streamed()
}

/** Gives each attempt such a body, as S3's clients do to one of more than a mebibyte, whose checksum is made while it is sent. */
private object Wrapped : Interceptor<Any, Any, HttpRequest, HttpResponse> {
    override suspend fun modifyBeforeSigning(context: ProtocolRequestInterceptorContext<Any, HttpRequest>) =
        context.streamed()
}

class OneShotTest :
    FunSpec({
        test("the failure of a request whose body can be sent once carries its trace") {
            ScriptedServer(Reply.Status(503), OK).use { server ->
                val client = dynamo(server) {
                    useReprise()
                    useReprise("standard-2.1")
                    interceptors += Streamed
                }
                val failure = shouldThrow<ServiceException> { inTime { client.use { it.listTables() } } }
                failure.suppressed.filterIsInstance<RetryTrace>().single().reason shouldBe StopReason.NOT_REPLAYABLE
                server.requests.size shouldBe 1
            }
        }

        test("so it does in adaptive mode, where the SDK sends the request without a permit") {
            for (reply in listOf(Reply.Status(503), Reply.Status(400, "ThrottlingException"), Reply.Status(404))) {
                ScriptedServer(reply).use { server ->
                    val client = dynamo(server) {
                        useReprise("adaptive-2.1")
                        interceptors += Streamed
                    }
                    client.use {
                        repeat(3) { n ->
                            val failure = shouldThrow<ServiceException> { inTime { client.listTables() } }
                            val reasons = failure.suppressed.filterIsInstance<RetryTrace>().map { it.reason }
                            val isFinal = reply.status == 404
                            withClue("$reply $n") {
                                reasons shouldBe listOf(if (isFinal) StopReason.REJECTED else StopReason.NOT_REPLAYABLE)
                            }
                        }
                    }
                    server.requests.size shouldBe 3
                }
            }
        }

        test("a body that the SDK wraps in each attempt can be sent again, and is told of once") {
            for (preset in listOf("standard-2.1", "adaptive-2.1")) {
                ScriptedServer(Reply.Status(503)).use { server ->
                    val client = dynamo(server) {
                        useReprise(preset)
                        interceptors += Wrapped
                    }
                    val failure = shouldThrow<ServiceException> { inTime { client.use { it.listTables() } } }
                    failure.suppressed.filterIsInstance<RetryTrace>().map { it.reason } shouldBe
                        listOf(StopReason.ATTEMPTS)
                    server.requests.size shouldBe 4
                }
            }
        }

        test("one that succeeds is left alone, and one that can be sent again is retried") {
            ScriptedServer(OK).use { server ->
                dynamo(server) {
                    useReprise()
                    interceptors += Streamed
                }.use { client -> inTime { client.listTables() } }
            }
            ScriptedServer(Reply.Status(503), OK).use { server ->
                dynamo(server) { useReprise() }.use { client -> inTime { client.listTables() } }
                server.requests.size shouldBe 2
            }
        }
    })
