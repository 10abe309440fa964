package dev.reprise.aws.java

import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.ceilingNanos
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.shouldBe
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider
import software.amazon.awssdk.core.SdkClient
import software.amazon.awssdk.core.client.builder.SdkSyncClientBuilder
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration
import software.amazon.awssdk.core.retry.RetryMode
import software.amazon.awssdk.core.util.VersionInfo
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.retries.api.RetryStrategy
import java.net.URI

/** As many calls as the quota pays for, nine attempts each. */
private const val CALLS = 12

/** Whether standard mode is 2.1, and the default, in the SDK that is there: since 2.58. */
private val IS_21 = VersionInfo.SDK_VERSION.split('.')[1].toInt() >= 58

private val STANDARD = if (IS_21) "standard-2.1" else "java-v2-standard"

/** How a client of the SDK is set, and the policy that does the same for a service. */
private enum class Setting(
    private val inCode: RetryMode?,
    private val property: String?,
    val policy: (service: String) -> RetryPolicy,
) {
    NOTHING(null, null, { Presets.named(if (IS_21) STANDARD else "java-v2-legacy", it) }),
    STANDARD_BY_PROPERTY(null, "standard", { Presets.named(STANDARD, it) }),

    /** A strategy that is set in code is taken as it is: DynamoDB's client then has no figures of its own. */
    STANDARD_IN_CODE(RetryMode.STANDARD, null, { Presets.named(STANDARD) }),
    LEGACY_BY_PROPERTY(null, "legacy", { Presets.named("java-v2-legacy", it) }),
    LEGACY_IN_CODE(RetryMode.LEGACY, null, { Presets.named("java-v2-legacy") }),
    ;

    /** The SDK's own strategy, as a client of [service] has it. */
    fun strategyOf(service: Service): RetryStrategy {
        property?.let { System.setProperty("aws.retryMode", it) }
        try {
            return client(service, URI("http://127.0.0.1")) { if (inCode != null) it.retryStrategy(inCode) }.use {
                it.serviceClientConfiguration().overrideConfiguration().retryStrategy().get()
            }
        } finally {
            System.clearProperty("aws.retryMode")
        }
    }
}

private fun client(service: Service, url: URI, configure: (ClientOverrideConfiguration.Builder) -> Unit): SdkClient {
    val builder = service.sync()
    builder.endpointOverride(url)
    builder.region(Region.US_EAST_1)
    builder.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
    (builder as SdkSyncClientBuilder<*, *>).httpClient(Face.apache)
    builder.overrideConfiguration(ClientOverrideConfiguration.builder().also(configure).build())
    return builder.build()
}

/** The waits in ms of [calls] calls that meet [replies], each in order; none is waited. */
private fun waits(service: Service, strategy: RetryStrategy, calls: Int, vararg replies: Reply): List<List<Long>> =
    ScriptedServer(service.protocol, *replies).use { server ->
        val recording = Recording(strategy)
        client(service, server.url) { it.retryStrategy(recording) }.use { client ->
            List(calls) {
                recording.delays.clear()
                failureOf { service.call(client) }
                recording.delays.map { it.toMillis() }
            }
        }
    }

/** How many requests each of [calls] failing calls makes; none waits. */
private fun requests(service: Service, strategy: RetryStrategy, calls: Int = 60): List<Int> =
    ScriptedServer(service.protocol, Reply(500)).use { server ->
        client(service, server.url) { it.retryStrategy(Recording(strategy)) }.use { client ->
            List(calls) { server.seen.size.also { failureOf { service.call(client) } }.let { server.seen.size - it } }
        }
    }

/** The real wait in ms between two requests, the first of which meets [reply]: the SDK reads headers for its own strategies. */
private fun waited(strategy: RetryStrategy, reply: Reply): Long =
    ScriptedServer(Protocol.QUERY, reply, Reply.OK).use { server ->
        client(Service.STS, server.url) { it.retryStrategy(strategy) }.use { Service.STS.call(it) }
        (server.seen[1].at - server.seen[0].at) / 1_000_000
    }

/** Presets of the SDK for Java beside the SDK, each in real clients. */
class SideBySideTest :
    FunSpec({
        val failures = mapOf(
            Reply(500) to FailureKind.TRANSIENT,
            Reply(400, "RequestTimeout") to FailureKind.TRANSIENT,
            Reply(429) to FailureKind.THROTTLING,
            Reply(400, "ThrottlingException") to FailureKind.THROTTLING,
            Reply(408) to null,
        )

        for (setting in Setting.entries) {
            for (service in listOf(Service.DYNAMODB, Service.STS)) {
                test("$setting: the SDK's $service client makes the preset's attempts after the preset's waits") {
                    val policy = setting.policy(service.name.lowercase())
                    for ((failure, kind) in failures) {
                        val sides = listOf(setting.strategyOf(service), RepriseRetryStrategy.of(policy))
                            .map { waits(service, it, CALLS, failure) }
                        val retries = if (kind == null) 0 else policy.maxAttempts - 1
                        withClue("${failure.status} ${failure.code}") {
                            sides.forAll { side ->
                                // A call of nine attempts may meet the quota's end.
                                side.dropLast(1).forEach { it.size shouldBe retries }
                                for (i in 0 until retries) {
                                    val longest = policy.backoff.ceilingNanos(i, kind!!) / 1_000_000
                                    side.dropLast(1).maxOf { it[i] }.shouldBeBetween(longest / 4, longest)
                                }
                            }
                        }
                    }
                }
            }
        }

        test("Retry-After is followed by the SDK and its presets, x-amz-retry-after by standard mode of today") {
            val afterOne = Reply(503, headers = mapOf("Retry-After" to "1"))
            val after1500 = Reply(503, headers = mapOf("x-amz-retry-after" to "1500"))
            val followed = mapOf(
                Setting.STANDARD_IN_CODE.strategyOf(Service.STS) to (!IS_21 to IS_21),
                Setting.NOTHING.strategyOf(Service.STS) to (!IS_21 to IS_21),
                Setting.LEGACY_IN_CODE.strategyOf(Service.STS) to (true to false),
                RepriseRetryStrategy.named("java-v2-standard") to (true to false),
                RepriseRetryStrategy.named("java-v2-legacy") to (true to false),
                RepriseRetryStrategy.standard() to (false to true),
            )
            for ((strategy, expected) in followed) {
                withClue(strategy) {
                    val followsSeconds = waited(strategy, afterOne) >= 1_000
                    val followsMillis = waited(strategy, after1500) >= 1_500
                    (followsSeconds to followsMillis) shouldBe expected
                }
            }
        }

        test("Retry-After is read as an integer with a plus or none, by the SDK and its presets") {
            for ((strategy, preset) in mapOf(
                Setting.STANDARD_IN_CODE to "java-v2-standard",
                Setting.LEGACY_IN_CODE to "java-v2-legacy",
            ).filter { !IS_21 || it.key == Setting.LEGACY_IN_CODE }) {
                for ((value, isRead) in mapOf(
                    "+5" to true,
                    "2147483647" to true,
                    "2147483648" to false,
                    "1.5" to false,
                )) {
                    val reply = Reply(503, headers = mapOf("Retry-After" to value))
                    for (side in listOf(strategy.strategyOf(Service.STS), RepriseRetryStrategy.named(preset))) {
                        withClue("$side $value") {
                            val waits = waits(Service.STS, side, 1, reply, Reply.OK).single().single()
                            if (isRead) waits shouldBe value.toLong() * 1_000 else waits.shouldBeBetween(0, 100)
                        }
                    }
                }
            }
        }

        test("an error in a good response, as S3 has it, is judged by its code, as the SDK does") {
            val strategies = listOf(
                Setting.LEGACY_IN_CODE.strategyOf(Service.S3),
                RepriseRetryStrategy.named("java-v2-legacy"),
                RepriseRetryStrategy.named("java-v2-standard"),
                RepriseRetryStrategy.standard(),
            )
            for (strategy in strategies) {
                for ((code, retries) in mapOf("InternalError" to 1, "SlowDown" to 1, "AccessDenied" to 0)) {
                    withClue("$strategy $code") {
                        waits(Service.S3, strategy, 1, Reply(200, code), Reply.OK).single().size shouldBe retries
                    }
                }
            }
        }

        test("a body of DynamoDB's that was damaged is retried by today's mode, and not by the SDK and its presets") {
            val damaged = Reply(200, headers = mapOf("x-amz-crc32" to "7"))
            val strategies = mapOf(
                Setting.NOTHING.strategyOf(Service.DYNAMODB) to 0,
                RepriseRetryStrategy.named("java-v2-legacy").forService("dynamodb") to 0,
                RepriseRetryStrategy.standard().forService("dynamodb") to 1,
            )
            for ((strategy, retries) in strategies) {
                withClue(strategy) {
                    waits(Service.DYNAMODB, strategy, 1, damaged, Reply.OK).single().size shouldBe retries
                }
            }
        }

        test("a DynamoDB client's requests, and the calls that its quota lasts for, as docs/aws.md has them") {
            /** The requests of a failing call, and the number of the first call that gets fewer. */
            fun figures(strategy: RetryStrategy) = requests(Service.DYNAMODB, strategy).let { all ->
                all.first() to all.indexOfFirst { it < all.first() } + 1
            }

            val today = 4 to 12
            figures(RepriseRetryStrategy.standard()) shouldBe today
            figures(Setting.NOTHING.strategyOf(Service.DYNAMODB)) shouldBe if (IS_21) today else 9 to 13
            figures(Setting.STANDARD_BY_PROPERTY.strategyOf(Service.DYNAMODB)) shouldBe if (IS_21) today else 9 to 13
            figures(Setting.STANDARD_IN_CODE.strategyOf(Service.DYNAMODB)) shouldBe if (IS_21) 3 to 18 else 3 to 51
            figures(Setting.LEGACY_BY_PROPERTY.strategyOf(Service.DYNAMODB)) shouldBe (9 to 13)
        }

        test("a client without settings makes requests as its version does, and its quota runs dry as there") {
            // The first call that gets no retry at all.
            val sdk = requests(Service.STS, Setting.NOTHING.strategyOf(Service.STS))
            sdk.first() shouldBe if (IS_21) 3 else 4
            sdk.indexOf(1) + 1 shouldBe if (IS_21) 19 else 35
            requests(Service.STS, RepriseRetryStrategy.standard()).indexOf(1) + 1 shouldBe 19
        }
    })
