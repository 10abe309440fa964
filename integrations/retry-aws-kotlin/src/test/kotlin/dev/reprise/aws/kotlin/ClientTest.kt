package dev.reprise.aws.kotlin

import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.sdk.kotlin.services.dynamodb.model.DynamoDbException
import aws.sdk.kotlin.services.dynamodb.withConfig
import aws.smithy.kotlin.runtime.retries.StandardRetryStrategy
import dev.reprise.core.NanoClock
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.shell.values.word
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTimedValue

private fun DynamoDbClient.policy() = (config.retryStrategy as RepriseRetryStrategy).retrier.policy

/** What a client of the real SDK makes of a strategy. */
class ClientTest :
    FunSpec({
        val ours = Presets.named("standard-2.1")
        // In real time: on a busy machine, too, each request comes to the server, and the second is answered.
        val shortAttempts = ours.with { attemptTimeout = 2.seconds }

        test("in real time: a call that fails twice succeeds with its third request, after short waits") {
            ScriptedServer(Reply.Status(500), Reply.Status(503), OK).use { server ->
                inTime {
                    dynamo(server) { useReprise("standard-2.1") }.use { client ->
                        val (tables, took) = measureTimedValue { client.listTables() }
                        tables.tableNames shouldBe listOf("a")
                        took.inWholeSeconds shouldBeLessThan 20
                    }
                }
                server.requests.toList() shouldBe (1..3).map { "attempt=$it; max=4" }
            }
        }

        test("what is thrown is the service's own exception, with its trace") {
            ScriptedServer(Reply.Status(400, "InternalServerError")).use { server ->
                val notes = Notes()
                val failure = inTime {
                    dynamo(server, RepriseRetryStrategy(notes.retrier(ours))).use {
                        shouldThrow<DynamoDbException> { it.listTables() }
                    }
                }
                RetryTrace.of(failure)!!.attempts shouldBe server.requests.size
            }
        }

        test("a connection that breaks, and a 429 without a code, are retried") {
            ScriptedServer(Reply.Drop, Reply.Status(429), OK).use { server ->
                val notes = Notes()
                inTime { dynamo(server, RepriseRetryStrategy(notes.retrier(ours))).use { it.listTables() } }
                server.requests shouldHaveSize 3
                notes.all<RetryEvent.RetryScheduled>().map { it.kind.word } shouldBe listOf("transient", "throttling")
            }
        }

        test("the service's delay is followed, and one that cannot be read is told, as on every face") {
            val late = Reply.Status(503, headers = mapOf("x-amz-retry-after" to "1500"))
            val odd = Reply.Status(503, headers = mapOf("x-amz-retry-after" to "soon"))
            ScriptedServer(late, odd, OK).use { server ->
                val notes = Notes()
                inTime { dynamo(server, RepriseRetryStrategy(notes.retrier(ours))).use { it.listTables() } }
                notes.waits.first() shouldBe 1_500_000_000
                notes.all<RetryEvent.ServerDelayIgnored>() shouldHaveSize 1
            }
        }

        test("events name the operation") {
            ScriptedServer(OK).use { server ->
                val notes = Notes()
                inTime { dynamo(server, RepriseRetryStrategy(notes.retrier(ours))).use { it.listTables() } }
                notes.events.map { it.operation }.distinct() shouldBe listOf("DynamoDB.ListTables")
            }
        }

        test("the client's name says whether a service has a policy of its own") {
            ScriptedServer(OK).use { server ->
                dynamo(server) { useReprise("standard-2.1") }.use {
                    it.policy() shouldBe Presets.named("standard-2.1", "dynamodb")
                }
                for (name in listOf("DynamoDB Streams", "dynamodb-streams", "DynamoDbStreams")) {
                    dynamo(server) {
                        clientName = name
                        useReprise("standard-2.1")
                    }.use { it.policy().maxAttempts shouldBe 4 }
                }
                for (name in listOf("my dynamo-db client!", "DynamDB", "SQS", "")) {
                    dynamo(server) {
                        clientName = name
                        useReprise("standard-2.1")
                    }.use { it.policy() shouldBe ours }
                }
            }
        }

        test("without Reprise the same client makes three attempts") {
            ScriptedServer(OK).use { server ->
                dynamo(server) { }.use { it.config.retryStrategy.config.maxAttempts shouldBe 3 }
            }
        }

        test("properties of the process choose mode and attempts") {
            ScriptedServer(OK).use { server ->
                val settings = mapOf("aws.retryMode" to "adaptive", "aws.maxAttempts" to "7")
                settings.forEach(System::setProperty)
                try {
                    dynamo(server) { useReprise() }.use {
                        it.policy() shouldBe Presets.named("adaptive-2.1", "dynamodb").with { maxAttempts = 7 }
                        it.config.retryStrategy.config.maxAttempts shouldBe 7
                    }
                } finally {
                    settings.keys.forEach(System::clearProperty)
                }
            }
        }

        test("clients that share a retrier share its quota, whatever their policies") {
            ScriptedServer(Reply.Status(500)).use { server ->
                val notes = Notes()
                val shared = notes.retrier(ours.with { maxAttempts = 2 })
                inTime {
                    dynamo(server, RepriseRetryStrategy(shared)).use { runCatching { it.listTables() } }
                    dynamo(server) {
                        retryStrategy(RepriseRetryStrategy) {
                            retrier = shared
                            maxAttempts = 3
                        }
                    }.use { runCatching { it.listTables() } }
                }
                server.requests shouldHaveSize 5
                shared.quota!!.available shouldBe 500 - 3 * 14
            }
        }

        test("a policy that is replaced holds for the next call of a running client") {
            ScriptedServer(Reply.Status(500)).use { server ->
                val retrier = Notes().retrier(ours)
                inTime {
                    dynamo(server, RepriseRetryStrategy(retrier)).use { client ->
                        runCatching { client.listTables() }
                        retrier.update(ours.with { maxAttempts = 1 })
                        runCatching { client.listTables() }
                    }
                }
                server.requests.toList() shouldBe (1..3).map { "attempt=$it; max=3" } + "attempt=1; max=1"
            }
        }

        test("a copy of a client keeps the strategy, and one with other attempts shares its quota") {
            ScriptedServer(Reply.Status(500)).use { server ->
                val retrier = Notes().retrier(ours)
                inTime {
                    dynamo(server, RepriseRetryStrategy(retrier)).use { client ->
                        client.withConfig { region = "eu-central-1" }.use {
                            it.config.retryStrategy shouldBeSameInstanceAs client.config.retryStrategy
                        }
                        client.withConfig { retryStrategy(RepriseRetryStrategy) { maxAttempts = 2 } }.use {
                            runCatching { it.listTables() }
                        }
                    }
                }
                server.requests shouldHaveSize 2
                retrier.quota!!.available shouldBe 500 - 14
            }
        }

        test("the SDK's own DSL puts its own strategy in the place of ours, with our attempts") {
            ScriptedServer(OK).use { server ->
                dynamo(server, RepriseRetryStrategy(ours.with { maxAttempts = 5 })).use { client ->
                    client.withConfig { retryStrategy { } }.use {
                        it.config.retryStrategy.shouldBeInstanceOf<StandardRetryStrategy>()
                        it.config.retryStrategy.config.maxAttempts shouldBe 5
                    }
                }
            }
        }

        test("an attempt that takes too long is cut off and retried") {
            ScriptedServer(Reply.Hang, OK).use { server ->
                val notes = Notes()
                val retrier = notes.retrier(shortAttempts)
                inTime { dynamo(server, RepriseRetryStrategy(retrier)).use { it.listTables() } }
                server.requests shouldHaveSize 2
            }
        }

        test("adaptive mode: a throttle slows the next calls of the client down, and no permit is lost") {
            ScriptedServer(Reply.Status(400, "ThrottlingException"), OK).use { server ->
                val notes = Notes()
                val now = AtomicLong()
                val retrier = Retrier(Presets.named("adaptive-2.1")) {
                    listener(notes)
                    clock = NanoClock { now.get() }
                    waiter = Waiter { now.addAndGet(it.inWholeNanoseconds) }
                }
                inTime {
                    dynamo(server, RepriseRetryStrategy(retrier)).use { client -> repeat(3) { client.listTables() } }
                }
                server.requests shouldHaveSize 4
                retrier.sendRate!!.isOn shouldBe true
                notes.all<RetryEvent.PermitWaited>().size shouldBeInRange 2..3
                notes.all<RetryEvent.CallSucceeded>() shouldHaveSize 3
            }
        }

        test("a call that gets no permit says so") {
            ScriptedServer(Reply.Status(400, "ThrottlingException")).use { server ->
                val notes = Notes()
                val policy = Presets.named("adaptive-2.1").with {
                    maxAttempts = 1
                    onNoPermit = NoPermit.Fail
                }
                val strategy = RepriseRetryStrategy(notes.retrier(policy))
                inTime { dynamo(server, strategy).use { client -> repeat(4) { runCatching { client.listTables() } } } }
                StopReason.RATE_LIMITED shouldBeIn notes.all<RetryEvent.CallGaveUp>().map { it.reason }
            }
        }
    })
