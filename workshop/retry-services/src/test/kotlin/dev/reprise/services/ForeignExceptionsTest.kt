package dev.reprise.services

import com.mongodb.MongoException
import dev.failsafe.CircuitBreakerOpenException
import dev.failsafe.Failsafe
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SqlErrors
import dev.reprise.core.Verdict
import io.github.resilience4j.circuitbreaker.CallNotPermittedException
import io.github.resilience4j.circuitbreaker.CircuitBreaker
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisCommandTimeoutException
import io.lettuce.core.RedisConnectionException
import io.lettuce.core.RedisURI
import io.r2dbc.h2.H2ConnectionConfiguration
import io.r2dbc.h2.H2ConnectionFactory
import io.r2dbc.spi.R2dbcException
import io.r2dbc.spi.R2dbcNonTransientResourceException
import io.r2dbc.spi.R2dbcRollbackException
import io.r2dbc.spi.R2dbcTimeoutException
import io.r2dbc.spi.R2dbcTransientResourceException
import org.springframework.cloud.client.circuitbreaker.NoFallbackAvailableException
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import redis.clients.jedis.Jedis
import redis.clients.jedis.exceptions.JedisConnectionException
import java.io.IOException
import java.net.ServerSocket
import java.time.Duration
import dev.failsafe.CircuitBreaker as FailsafeBreaker

/** What the libraries of others throw, and what the policies make of it. */
class ForeignExceptionsTest :
    FunSpec({
        fun kinds(failure: Throwable) = listOf(RetryPolicy.STANDARD, RetryPolicy.HTTP, RetryPolicy.ANY_EXCEPTION).map {
            (it.classifier.classifyFailure(failure) as? Verdict.Retry)?.kind
        }.toSet()

        test("the rejections of open circuit breakers are never retried: resilience4j, Failsafe, Spring Cloud") {
            val open = CircuitBreaker.ofDefaults("users").apply { transitionToOpenState() }
            val rejected = shouldThrow<CallNotPermittedException> { open.executeSupplier { "never" } }
            val failsafe = FailsafeBreaker.ofDefaults<String>().apply { open() }
            val refused = shouldThrow<CircuitBreakerOpenException> { Failsafe.with(failsafe).get { _ -> "never" } }
            for (failure in listOf(rejected, refused, NoFallbackAvailableException("none", rejected))) {
                withClue(failure) { kinds(failure) shouldBe setOf<FailureKind?>(null) }
            }
            RetryPolicy { retryOn<RuntimeException>() }.classifier.classifyFailure(rejected) shouldBe Verdict.Reject
        }

        test("a failure that Spring Cloud's breaker let through and wrapped is judged by its cause") {
            kinds(NoFallbackAvailableException("none", IOException("reset")))
                .filterNotNull().toSet() shouldBe setOf(FailureKind.TRANSIENT)
        }

        test("Lettuce: no connection, and a server that does not answer") {
            ServerSocket(0).use { silent ->
                val uri = RedisURI.builder().withHost("localhost").withPort(silent.localPort)
                    .withTimeout(Duration.ofMillis(200)).build()
                val client = RedisClient.create(uri)
                try {
                    val failure = shouldThrow<RuntimeException> { client.connect().sync().get("key") }
                    kinds(failure).contains(null) shouldBe false
                } finally {
                    client.shutdown(Duration.ZERO, Duration.ZERO)
                }
            }
            kinds(RedisCommandTimeoutException("Command timed out")) shouldBe setOf(FailureKind.TIMEOUT)
            kinds(RedisConnectionException("Connection closed")) shouldBe setOf(FailureKind.TRANSIENT)
        }

        test("Jedis: a server that does not answer, and one that hangs up") {
            ServerSocket(0).use { silent ->
                val failure = shouldThrow<JedisConnectionException> {
                    Jedis("localhost", silent.localPort, 200, 200).use { it.get("key") }
                }
                kinds(failure).contains(null) shouldBe false
            }
            kinds(JedisConnectionException("Unexpected end of stream.")) shouldBe setOf(FailureKind.TRANSIENT)
        }

        test("R2DBC: the SPI's exceptions by their state, then by type") {
            fun verdict(failure: Throwable) = SqlErrors.classifyFailure(failure) as Verdict.Retry?
            val broken = object : R2dbcNonTransientResourceException("terminated", "08006") {}
            verdict(broken)?.why shouldBe "SQLSTATE 08xxx"
            verdict(object : R2dbcNonTransientResourceException("full", "53300", 1040) {})?.kind shouldBe
                FailureKind.THROTTLING
            verdict(object : R2dbcRollbackException("rolled back") {})?.unsent shouldBe true
            verdict(object : R2dbcTimeoutException("slow") {})?.kind shouldBe FailureKind.TIMEOUT
            verdict(object : R2dbcTransientResourceException("busy") {})?.kind shouldBe FailureKind.TRANSIENT
            verdict(object : R2dbcNonTransientResourceException("gone") {}) shouldBe null
        }

        test("R2DBC: a wrong statement, as a driver tells of it, is final") {
            val factory = H2ConnectionFactory(
                H2ConnectionConfiguration.builder().inMemory("locked").option("DB_CLOSE_DELAY=-1").build(),
            )
            val thrown = shouldThrow<R2dbcException> {
                Mono.usingWhen(
                    factory.create(),
                    { connection -> Flux.from(connection.createStatement("selec 1").execute()).then() },
                    { it.close() },
                ).block()
            }
            thrown.sqlState shouldBe "42001"
            SqlErrors.classifyFailure(thrown) shouldBe null
        }

        test("MongoDB: the labels decide") {
            fun labelled(vararg labels: String) = MongoException(1, "failed").apply { labels.forEach(::addLabel) }
            fun verdict(vararg labels: String) = MongoPolicy.policy.classifier.classifyFailure(labelled(*labels))
            verdict("SystemOverloadedError", "RetryableError", "NoWritesPerformed") shouldBe
                Verdict.Retry(FailureKind.THROTTLING, "label", unsent = true)
            verdict("RetryableError") shouldBe Verdict.Retry(FailureKind.TRANSIENT, "label", unsent = false)
            verdict("SystemOverloadedError") shouldBe null
            verdict() shouldBe null
        }
    })
