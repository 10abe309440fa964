package dev.reprise.presets.sdk

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
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.CONNECT_TIMEOUTS
import dev.reprise.core.shell.values.ExponentialBackoff
import dev.reprise.core.shell.values.ServerDelayRule
import dev.reprise.core.shell.values.TIMEOUTS
import dev.reprise.core.shell.values.addBound

/**
 * The AWS SDK for JavaScript v2: `u * 2^n * base` ms, no cap, no quota. Its `customBackoff` is a backoff of
 * your own: `with { backoff = Backoff.custom { retry -> … } }`, where `null` stops.
 *
 * Left out: `ExpiredToken` and `RequestExpired`, which its clients repeat after they have fetched new credentials; an
 * attempt that does so adds a rule for them. Delays beyond 292 years, which are `NaN` there, saturate.
 */
internal object JavaScriptPresets {
    private val throttling =
        ErrorRule(
            FailureKind.THROTTLING,
            ErrorTable.THROTTLING_CODES - setOf(
                "ThrottledException",
                "SlowDown",
                "LimitExceededException",
                "BandwidthLimitExceeded",
                "PriorRequestNotComplete",
            ),
        )

    private val rules =
        listOf(
            throttling,
            ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
            ErrorRule(
                FailureKind.TRANSIENT,
                setOf("NetworkingError", "TimeoutError", "ExpiredTokenException"),
            ),
            // The SDK asks for "Signature" anywhere in the code: these are the codes that services send.
            ErrorRule(
                FailureKind.TRANSIENT,
                setOf(
                    "InvalidSignature",
                    "InvalidSignatureException",
                    "IncompleteSignature",
                    "IncompleteSignatureException",
                    "SignatureDoesNotMatch",
                    "SignatureExpired",
                ),
                message = "expired",
            ),
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.between(500, 999)),
        )

    private val ofService: Map<String, ErrorRule> =
        mapOf(
            "route53" to ErrorRule(FailureKind.TRANSIENT, setOf("PriorRequestNotComplete"), Statuses.of(400)),
            "rdsdataservice" to
                ErrorRule(
                    FailureKind.TRANSIENT,
                    setOf("BadRequestException"),
                    Statuses.of(400),
                    message = "Communications link failure",
                ),
            // completeMultipartUpload, copyObject and uploadPartCopy may answer 200 with an error in the body.
            "s3" to
                ErrorRule(
                    FailureKind.TRANSIENT,
                    setOf("RequestTimeout", "InternalError", "SlowDown", "ServiceUnavailable"),
                    Statuses.of(200),
                ),
            "sqs" to ErrorRule(FailureKind.TRANSIENT, setOf("InvalidChecksum")),
        )

    private val s3Timeout = ErrorRule(FailureKind.TRANSIENT, setOf("RequestTimeout"), Statuses.between(300, 499))

    private val client =
        Preset("js-v2", "the AWS SDK for JavaScript v2", ofService.keys + "dynamodb") { service ->
            val isDynamoDb = service == "dynamodb"
            val own = listOfNotNull(ofService[service], s3Timeout.takeIf { service == "s3" })
            Parts.PLAIN.with {
                maxAttempts = if (isDynamoDb) 11 else 4
                backoff = ExponentialBackoff(if (isDynamoDb) 50_000_000 else BASE)
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
                backoff = ExponentialBackoff(BASE)
                classifier = Classifier.firstOf(SelfClassifier, helperTable, helperTimeouts)
                serverDelays =
                    listOf(
                        ServerDelayRule(
                            ServerDelayHeader.RETRY_AFTER_PARSE_INT,
                            addBound(UNLIMITED_NANOS),
                        ),
                    )
            }
        }

    private val helperTable =
        ErrorTable(
            ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.between(500, 599)),
        )

    private val helperTimeouts = ExceptionTable(listOf(CONNECT_TIMEOUTS, TIMEOUTS))

    private const val BASE = 100_000_000L

    val all: List<Preset> = listOf(client, helper)
}
