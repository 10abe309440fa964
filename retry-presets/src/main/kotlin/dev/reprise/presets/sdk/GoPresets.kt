package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.values.GoBackoff

/**
 * The AWS SDK for Go v1: its own jitter; a base of 500 ms for throttling and 30 ms for the rest, up to 300 s; no quota;
 * a `Retry-After` is added without a bound. Set a deadline, or another bound.
 */
internal object GoPresets {
    private val slowEc2 = setOf("ec2.modifynetworkinterfaceattribute", "ec2.assignprivateipaddresses")

    private val throttling = listOf(
        Parts.throttling("LimitExceededException", "SlowDown", "BandwidthLimitExceeded"),
        ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429, 502, 503, 504)),
    )
    private val retryable = listOf(
        Parts.codes(
            "RequestError",
            "RequestTimeout",
            "ResponseTimeout",
            "RequestTimeoutException",
            "ExpiredToken",
            "ExpiredTokenException",
            "RequestExpired",
        ),
        ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500)),
    )

    /** The codes that clients of single services retry too; that of SQS is of their own check of its checksums. */
    private val ofService: Map<String, ErrorRule> = mapOf(
        "kinesis" to Parts.codes("LimitExceededException"),
        "sts" to Parts.codes("IDPCommunicationError"),
        "sqs" to Parts.codes("InvalidChecksum"),
    )

    /** A connection that is reset while it is read may have done its work, and a name that does not exist stays away. */
    private val final = ExceptionTable(
        listOf(
            ExceptionRule(null, setOf("java.io.IOException"), message = "Connection reset"),
            Parts.rejects("java.net.UnknownHostException", "java.nio.channels.UnresolvedAddressException"),
        ),
    )
    private val retryAfter =
        ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER_ATOI, Parts.ADDED).on(Statuses.of(429, 503))

    private fun backoff(service: String?): Backoff = when (service) {
        in slowEc2 -> GoBackoff(minNanos = 1_000_000_000, maxNanos = 8_000_000_000)
        "dynamodb" -> Backoff.perKind(GoBackoff(50_000_000, MAX), GoBackoff(500_000_000, MAX))
        else -> Backoff.perKind(GoBackoff(30_000_000, MAX), GoBackoff(500_000_000, MAX))
    }

    private const val MAX = 300_000_000_000

    val all: List<Preset> =
        listOf(
            Preset("go-v1", "the AWS SDK for Go v1", slowEc2 + "dynamodb" + ofService.keys) { service ->
                val isDynamoDb = service == "dynamodb"
                val rules = throttling + listOfNotNull(ofService[service]) + retryable
                RetryPolicy {
                    maxAttempts = if (isDynamoDb) 11 else 4
                    backoff = backoff(service)
                    classifier = Classifier.firstOf(SelfClassifier, ErrorTable(rules), final, TransportErrors)
                    if (isDynamoDb) classifyFirst(Crc32Check())
                    serverDelays = listOf(retryAfter)
                    quota = null
                    longPollingDelay = false
                }
            },
        )
}
