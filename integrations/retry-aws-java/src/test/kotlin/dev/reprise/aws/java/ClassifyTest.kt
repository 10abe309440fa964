package dev.reprise.aws.java

import dev.reprise.build.Vectors
import dev.reprise.build.httpDate
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.parts
import dev.reprise.core.shell.values.word
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import software.amazon.awssdk.awscore.exception.AwsErrorDetails
import software.amazon.awssdk.awscore.exception.AwsServiceException
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.core.exception.SdkServiceException
import software.amazon.awssdk.http.SdkHttpResponse
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException
import java.time.Duration

private val classifier = AwsErrors.addedTo(RetryPolicy.STANDARD).classifier

private fun wordOf(verdict: Verdict?) = if (verdict is Verdict.Retry) verdict.kind.word else "none"

class ClassifyTest :
    FunSpec({
        test("statuses and codes mean what the shared table says") {
            val rows = Vectors.read("standard-2.1.json").getValue("classification").jsonArray.map { it.jsonObject }
            rows shouldHaveAtLeastSize 30
            for (row in rows) {
                val failure = serviceFailure(
                    row.getValue("status").jsonPrimitive.int,
                    row["error_code"]?.jsonPrimitive?.contentOrNull,
                )
                // The SDK corrects its clock, so that another attempt may help.
                val expected =
                    if (failure.isClockSkewException) "transient" else row.getValue("recommended").jsonPrimitive.content
                withClue(row) { wordOf(classifier.classifyFailure(failure)) shouldBe expected }
            }
        }

        test("what the SDK takes for a throttle is one, and its clock skew is retried") {
            val codes = listOf(
                null,
                "Throttling",
                "EC2ThrottledException",
                "SlowDown",
                "AccessDenied",
                "RequestExpired",
                "AuthFailure",
            )
            checkAll(Arb.int(400..599), Arb.element(codes), Arb.int(-600..600)) { status, code, skew ->
                val details = AwsErrorDetails.builder().errorCode(code).serviceName("X")
                    .sdkHttpResponse(SdkHttpResponse.builder().statusCode(status).build())
                val failure = AwsServiceException.builder().statusCode(status).awsErrorDetails(details.build())
                    .clockSkew(Duration.ofSeconds(skew.toLong())).build() as SdkServiceException
                val verdict = classifier.classifyFailure(failure)
                if (failure.isThrottlingException) (verdict as Verdict.Retry).kind shouldBe FailureKind.THROTTLING
                if (failure.isClockSkewException) (verdict is Verdict.Retry) shouldBe true
            }
        }

        test("what a service's model calls retryable is, and so is an attempt that took too long") {
            val modelled = InternalServerErrorException.builder().statusCode(400)
                .awsErrorDetails(
                    AwsErrorDetails.builder().errorCode("InternalServerError").serviceName("DynamoDb").build(),
                ).build()
            wordOf(classifier.classifyFailure(modelled as Throwable)) shouldBe
                if ((modelled as SdkServiceException).isRetryableException) "transient" else "none"
            val tooLong = ApiCallAttemptTimeoutException.create(5)
            // The asynchronous clients wrap it where the limit runs out while they connect, or twice, as Netty's does.
            val wrapped = listOf(tooLong, RuntimeException(tooLong)).map {
                SdkClientException.create("unable to execute HTTP request", it)
            }
            for (failure in wrapped + tooLong) {
                (classifier.classifyFailure(failure) as Verdict.Retry).kind shouldBe FailureKind.TIMEOUT
            }
        }

        test("rules of the user's own come first, and see the SDK's exceptions") {
            val policy = RetryPolicy {
                onFailure {
                    if (it is AwsServiceException &&
                        it.statusCode() == 409
                    ) {
                        Verdict.TRANSIENT
                    } else {
                        null
                    }
                }
            }
            wordOf(AwsErrors.addedTo(policy).classifier.classifyFailure(serviceFailure(409))) shouldBe "transient"
            val never = RetryPolicy { rejectOn<AwsServiceException>() }
            wordOf(AwsErrors.addedTo(never).classifier.classifyFailure(serviceFailure(503))) shouldBe "none"
        }

        test(
            "the SDK's decisions stand right before the tables, and a classifier without tables stays the user's own",
        ) {
            val own = Classifier.failures { null }
            fun partsOf(classifier: Classifier) =
                AwsErrors.addedTo(RetryPolicy { this.classifier = classifier }).classifier.parts()
            partsOf(own) shouldBe listOf(AwsErrors, own)
            partsOf(ErrorTable.STANDARD) shouldBe listOf(AwsErrors, SdkDecisions, ErrorTable.STANDARD)
            partsOf(Classifier.firstOf(own, TransportErrors, ErrorTable.STANDARD)) shouldBe
                listOf(AwsErrors, own, SdkDecisions, TransportErrors, ErrorTable.STANDARD)
        }

        test("rules read the code and message that the service sent") {
            val outcome = AwsErrors.responseOf(serviceFailure(400, "SlowDown"))!!
            "$outcome" shouldBe "HTTP 400 SlowDown"
            "${AwsErrors.responseOf(serviceFailure(500))}" shouldBe "HTTP 500"
            val details = AwsErrorDetails.builder().errorCode("X").errorMessage("Rate exceeded").build()
            val failure = AwsServiceException.builder().statusCode(400).awsErrorDetails(details).build()
            AwsErrors.responseOf(failure)!!.errorMessage shouldBe "Rate exceeded"
            AwsErrors.responseOf(SdkClientException.create("no response")) shouldBe null
        }

        test(
            "a Retry-After that is a date is counted from when the response came, with rules of the SDK's builder too",
        ) {
            val policy = RetryPolicy { honourRetryAfter(Duration.ofSeconds(60)) }
            val plain = RepriseRetryStrategy.of(policy)
            val ruled = plain.toBuilder().apply { retryOnException { true } }.build() as RepriseRetryStrategy
            for ((minutes, attempts) in listOf(10L to 1, -10L to 2)) {
                val date = httpDate(Duration.ofMinutes(minutes))
                val failure = serviceFailure(503, headers = mapOf("Retry-After" to date))
                plain.play(listOf(failure)).attempts shouldBe attempts
                ruled.play(listOf(failure)).attempts shouldBe attempts
            }
        }

        test("Retry-After is followed if the policy says so") {
            val policy = RetryPolicy { honourRetryAfter(Duration.ofSeconds(60)) }
            val failure = serviceFailure(503, headers = mapOf("Retry-After" to "7"))
            RepriseRetryStrategy.of(policy).play(listOf(failure)).waits shouldBe listOf(7_000_000_000)
            RepriseRetryStrategy.standard().play(listOf(failure)).waits.sum() shouldBeLessThanOrEqual 50_000_000
        }
    })
