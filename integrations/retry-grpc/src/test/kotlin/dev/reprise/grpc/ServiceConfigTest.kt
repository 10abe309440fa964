package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import io.grpc.inprocess.InProcessChannelBuilder
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.maps.shouldNotContainKey
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.util.Locale
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

@Suppress("UNCHECKED_CAST")
private fun GrpcServiceConfig.methodConfig() = (config["methodConfig"] as List<Map<String, Any>>).single()

class ServiceConfigTest :
    FunSpec({
        test("gRPC takes the config of any policy") {
            val backoffs = listOf(
                Backoff.STANDARD,
                Backoff.IMMEDIATE,
                Backoff.fixed(3.seconds),
                Backoff.linear(1.milliseconds),
                Backoff.decorrelated(10.milliseconds),
                Backoff.exponential(base = 0.seconds, jitter = Jitter.NONE),
                Backoff.custom { _ -> null },
            )
            checkAll(200, Arb.int(1..9), Arb.element(backoffs), Arb.int(0..2)) { attempts, backoff, limits ->
                val policy = RetryPolicy {
                    maxAttempts = attempts
                    this.backoff = backoff
                    if (limits > 0) deadline = 3.seconds
                    if (limits > 1) attemptTimeout = 1.seconds
                }
                val channel = InProcessChannelBuilder.forName("nobody").enableRetry()
                    .defaultServiceConfig(policy.toGrpcServiceConfig("a.B", "a.C/D").config)
                    .build()
                channel.shutdownNow().isShutdown shouldBe true
            }
        }

        test("a service config has the digits of JSON in every locale") {
            val policy = RetryPolicy {
                backoff = Backoff.exponential(base = 20.milliseconds, cap = 3.seconds)
                deadline = 61.seconds
            }
            val before = Locale.getDefault()
            try {
                for (tag in listOf("en", "fa", "ar-EG", "th-TH-u-nu-thai", "tr")) {
                    Locale.setDefault(Locale.forLanguageTag(tag))
                    val settings = policy.toGrpcServiceConfig().methodConfig()
                    val retries = settings["retryPolicy"] as Map<*, *>
                    listOf(settings["timeout"], retries["initialBackoff"], retries["maxBackoff"]) shouldBe
                        listOf("61.000000000s", "0.020000000s", "3.000000000s")
                }
            } finally {
                Locale.setDefault(before)
            }
        }

        test("what a service config cannot say is named") {
            val policy = RetryPolicy {
                maxAttempts = 7
                backoff = Backoff.linear(1.seconds)
                attemptTimeout = 1.seconds
                sendRate = dev.reprise.core.SendRateSettings.STEADY
                hedge = Hedge(maxExtraLoad = 0.02)
            }
            val dropped = policy.toGrpcServiceConfig().dropped
            dropped.map { it.substringBefore(':') } shouldContainExactly listOf(
                "idempotency", "jitter", "the bound of server delays", "quota", "send rate", "copies", "attempts",
                "attempt timeouts", "the shape of the backoff",
            )
            dropped.single { it.startsWith("attempts") } shouldContain "7"
            RetryPolicy.NONE.with { serverDelays = emptyList() }.toGrpcServiceConfig().dropped shouldHaveSize 3
        }

        test("a policy of one attempt has no retryPolicy; a deadline is the method's timeout") {
            RetryPolicy.NONE.toGrpcServiceConfig().methodConfig() shouldNotContainKey "retryPolicy"
            RetryPolicy { deadline = 1500.milliseconds }.toGrpcServiceConfig().methodConfig()["timeout"] shouldBe
                "1.500000000s"
        }

        test("methods are named; a name that is none is refused") {
            RetryPolicy.STANDARD.toGrpcServiceConfig("a.B", "a.C/D").methodConfig()["name"] shouldBe
                listOf(mapOf("service" to "a.B"), mapOf("service" to "a.C", "method" to "D"))
            for (name in listOf("", "/", "a/", "a/b/c")) {
                shouldThrow<IllegalArgumentException> { RetryPolicy.STANDARD.toGrpcServiceConfig(name) }
            }
        }
    })
