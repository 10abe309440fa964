package dev.reprise.aws.java

import dev.reprise.core.NanoClock
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.core.exception.SdkServiceException
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.seconds

private val exact = RetryPolicy { sendRate = SendRateSettings.EXACT }

/** A rate that has learned from throttles that nearly nothing gets through: the next permits are about two seconds away. */
private fun throttledRate(now: Long = System.nanoTime()): SendRate =
    SendRate(SendRateSettings.EXACT, now).apply { throttle(now) }

private fun SendRate.throttle(now: Long) {
    repeat(20) { record(throttled = true, sentAt = now, now = now) }
    do {
        val isMore = tryTake(now)
    } while (isMore)
}

private fun strategy(policy: RetryPolicy, rate: SendRate, clock: NanoClock = Retrier.SYSTEM_CLOCK) =
    RepriseRetryStrategy.sharing(JavaRetrier.builder().policy(policy).sendRate(rate).clock(clock).build())

/** No time passes: what is used up stays so. */
private const val NOW = 1_000_000_000L
private val stopped = NanoClock { NOW }

private val request = AcquireInitialTokenRequest.create("GLOBAL")

class AdaptiveTest :
    FunSpec({
        test("without a permit, and without waiting for one, nothing is sent") {
            val strategy = strategy(exact.toBuilder().onNoPermit(NoPermit.Fail).build(), throttledRate(NOW), stopped)
            ScriptedServer(Protocol.JSON, Reply.OK).use { server ->
                for (face in listOf(Face.APACHE, Face.NETTY)) {
                    face.client(Service.DYNAMODB, server, strategy.plugin()).use { client ->
                        failureOf { Service.DYNAMODB.call(client) }.shouldBeInstanceOf<SdkClientException>()
                            .message shouldContain "rate-limited"
                    }
                }
                server.seen.size shouldBe 0
            }
        }

        test("a retry that gets no permit gives back what it took, and throws the attempt's own failure") {
            val rate = SendRate(SendRateSettings.EXACT, NOW)
            val strategy = strategy(exact.toBuilder().onNoPermit(NoPermit.Fail).build(), rate, stopped)
            val token = strategy.begin()
            rate.throttle(NOW)
            val failure = serviceFailure(500)
            shouldThrow<Exception> { strategy.refreshRetryToken(refresh(token, failure)) }.cause shouldBe failure
            strategy.retrier().retrier().quota!!.available shouldBe 500
        }

        test("a permit is awaited without a thread, and one that comes too late goes back") {
            val rate = throttledRate()
            val strategy = strategy(exact, rate)
            val waiting = strategy.acquireInitialTokenAsync(request)
            waiting.isDone shouldBe false
            val token = waiting.get(20, java.util.concurrent.TimeUnit.SECONDS).token()
            strategy.recordSuccess(RecordSuccessRequest.create(token))
            strategy.retrier().retrier().quota!!.available shouldBe 500
        }

        test("a call that is cancelled in the line leaves it and holds nothing up") {
            val rate = throttledRate()
            val strategy = strategy(exact, rate)
            ScriptedServer(Protocol.QUERY, Reply.OK).use { server ->
                Face.NETTY.client(Service.STS, server, strategy.plugin()).use { client ->
                    val calls = List(50) { Service.STS.call(client) as CompletableFuture<*> }
                    calls.forEach { it.cancel(true) }
                    // Fifty permits at half a permit a second would take more than a minute.
                    val from = System.nanoTime()
                    failureOf { Service.STS.call(client) }.shouldBeNull()
                    (System.nanoTime() - from) / 1_000_000_000 shouldBeLessThanOrEqual 20
                }
            }
        }

        test("an interrupted thread leaves the line with the SDK's own exception") {
            val strategy = strategy(exact, throttledRate(NOW), stopped)
            ScriptedServer(Protocol.JSON, Reply.OK).use { server ->
                Face.APACHE.client(Service.DYNAMODB, server, strategy.plugin()).use { client ->
                    val thrown = AtomicReference<Throwable>()
                    val isInterrupted = AtomicReference<Boolean>()
                    val caller = thread {
                        thrown.set(failureOf { Service.DYNAMODB.call(client) })
                        isInterrupted.set(Thread.currentThread().isInterrupted)
                    }
                    eventually(30.seconds) {
                        (
                            caller.state == Thread.State.WAITING ||
                                caller.state == Thread.State.TIMED_WAITING
                            ) shouldBe true
                    }
                    caller.interrupt()
                    caller.join(10_000)
                    thrown.get().shouldBeInstanceOf<AbortedException>()
                    isInterrupted.get() shouldBe true
                }
                server.seen.size shouldBe 0
            }
        }

        test("throttles through a client teach the rate") {
            for (face in listOf(Face.APACHE, Face.NETTY)) {
                val strategy = RepriseRetryStrategy.of(exact.toBuilder().onNoPermit(NoPermit.Fail).build())
                ScriptedServer(Protocol.REST_XML, Reply(400, "SlowDown")).use { server ->
                    face.client(Service.S3, server, strategy.plugin()).use { client ->
                        failureOf { Service.S3.call(client) }.shouldBeInstanceOf<SdkServiceException>()
                    }
                }
                strategy.retrier().retrier().sendRate!!.isOn shouldBe true
            }
        }
    })
