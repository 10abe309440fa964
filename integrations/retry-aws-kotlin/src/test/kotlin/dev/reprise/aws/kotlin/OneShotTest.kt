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

/** Gives each request a body that can be sent once, and is not signed, as S3's are. */
private object Streamed : Interceptor<Any, Any, HttpRequest, HttpResponse> {
    override suspend fun modifyBeforeRetryLoop(
        context: ProtocolRequestInterceptorContext<Any, HttpRequest>,
    ): HttpRequest {
        context.executionContext[AwsSigningAttributes.HashSpecification] = HashSpecification.UnsignedPayload
        return context.protocolRequest.toBuilder().apply { body = Once }.build()
    }

    private object Once : HttpBody.ChannelContent() {
        override val contentLength = 2L
        override val isOneShot = true

        override fun readFrom() = SdkByteReadChannel("{}".encodeToByteArray())
    }
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
