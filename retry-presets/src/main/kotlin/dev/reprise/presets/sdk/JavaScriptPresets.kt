package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.SelfClassifier
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.values.CONNECT_TIMEOUTS
import dev.reprise.core.shell.values.TIMEOUTS
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/**
 * The AWS SDK for JavaScript v2: `u * 2^n * base` ms, no cap, no quota. Its `customBackoff` is a backoff of
 * your own: `with { backoff = Backoff.custom { retry -> … } }`, where `null` stops.
 *
 * Left out: `ExpiredToken` and `RequestExpired`, which its clients repeat after they have fetched new credentials; an
 * attempt that does so adds a rule for them. Delays beyond 292 years, which are `NaN` there, saturate.
 */
internal object JavaScriptPresets {
    private val throttling = Parts.throttling(
        "ThrottledException",
        "SlowDown",
        "LimitExceededException",
        "BandwidthLimitExceeded",
        "PriorRequestNotComplete",
    )
    private val rules = listOf(
        throttling,
        ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
        Parts.codes("NetworkingError", "TimeoutError", "ExpiredTokenException"),
        // The SDK asks for "Signature" anywhere in the code: these are the codes that services send.
        Parts.codes(
            "InvalidSignature",
            "InvalidSignatureException",
            "IncompleteSignature",
            "IncompleteSignatureException",
            "SignatureDoesNotMatch",
            "SignatureExpired",
            message = "expired",
        ),
        ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.between(500, 999)),
    )
    private val good = Statuses.of(200)
    private val bad = Statuses.of(400)
    private val ofService: Map<String, ErrorRule> = mapOf(
        "route53" to Parts.codes("PriorRequestNotComplete", statuses = bad),
        "rdsdataservice" to Parts.codes("BadRequestException", statuses = bad, message = "Communications link failure"),
        // completeMultipartUpload, copyObject and uploadPartCopy may answer 200 with an error in the body.
        "s3" to Parts.codes("RequestTimeout", "InternalError", "SlowDown", "ServiceUnavailable", statuses = good),
        "sqs" to Parts.codes("InvalidChecksum"),
    )
    private val s3Timeout = Parts.codes("RequestTimeout", statuses = Statuses.between(300, 499))

    private val client =
        Preset("js-v2", "the AWS SDK for JavaScript v2", ofService.keys + "dynamodb") { service ->
            val isDynamoDb = service == "dynamodb"
            val own = listOfNotNull(ofService[service], s3Timeout.takeIf { service == "s3" })
            Parts.PLAIN.with {
                maxAttempts = if (isDynamoDb) 11 else 4
                backoff = growing(if (isDynamoDb) 50.milliseconds else BASE)
                classifier = Classifier.firstOf(SelfClassifier, ErrorTable(own + rules), TransportErrors)
                if (isDynamoDb) classifyFirst(Crc32Check())
            }
        }

    /**
     * The SDK's helper for credentials and metadata, the only part of it that obeys `Retry-After`; articles describe it as
     * if it were the client. Its own default is no retries at all; here it is the client's 3.
     */
    private val helper =
        Preset("js-v2-http-helper", "the HTTP helper of the AWS SDK for JavaScript v2, with Retry-After") {
            Parts.PLAIN.with {
                maxAttempts = 4
                backoff = growing(BASE)
                classifier = Classifier.firstOf(SelfClassifier, helperTable, helperTimeouts)
                serverDelays = listOf(ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER_PARSE_INT, Parts.ADDED))
            }
        }

    private val helperTable =
        ErrorTable(
            ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.between(500, 599)),
        )

    private val helperTimeouts = ExceptionTable(listOf(CONNECT_TIMEOUTS, TIMEOUTS))

    private val BASE = 100.milliseconds

    private fun growing(base: Duration) = Backoff.exponential(base, cap = Duration.INFINITE)

    val all: List<Preset> = listOf(client, helper)
}
