package dev.reprise.presets.sdk

import dev.reprise.build.Vectors
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import kotlin.random.Random

class ServiceNameTest :
    FunSpec({
        val known = setOf("dynamodb", "streams.dynamodb", "s3")

        fun refusal(service: String) = shouldThrow<IllegalArgumentException> {
            ServiceName.find(service, known)
        }.message

        test("names are found in any case, and other services have no policy of their own") {
            ServiceName.find("DynamoDB", known) shouldBe "dynamodb"
            ServiceName.find("S3", known) shouldBe "s3"
            ServiceName.find("AmazonDynamoDBv2", known) shouldBe "dynamodb"
            ServiceName.find("SESv2", known) shouldBe null
            for (other in listOf("lambda", "dax", "s4", "timestream", "Secrets Manager", "kinesis-video")) {
                ServiceName.find(other, known) shouldBe null
            }
        }

        test("a name that is nearly a known one is refused") {
            for (slip in listOf("dynamdb", "dinamo-db", "Dynama DB", "dynamodb2", "dinamodb", "stream-dynamodb")) {
                withClue(slip) { refusal(slip) shouldContain "dynamodb, or a name less like it: $slip" }
            }
        }

        test("two slips are nearly a name, three are another name, and so is a short one") {
            refusal("dynmdb") shouldContain "service must be dynamodb"
            for (other in listOf("dynmb", "secure-dynamodb", "x")) ServiceName.find(other, known) shouldBe null
            val short = setOf("lambda", "neptu")
            shouldThrow<IllegalArgumentException> { ServiceName.find("lambd", short) }
            ServiceName.find("nept", short) shouldBe null
        }

        test("what is no name is refused, in one short line") {
            for (text in listOf("", " ", "-", "a/b", "https://u:secret@h", "x".repeat(65), "x\ny", "é")) {
                withClue(text) { refusal(text)!! shouldContain "service must be a name such as dynamodb" }
            }
            checkAll(Arb.string(0..300)) { text ->
                val message = runCatching { ServiceName.find(text, known) }.exceptionOrNull()?.message.orEmpty()
                message.length shouldBeLessThan 150
                message.none { it.isISOControl() } shouldBe true
            }
            refusal("https://u:secret@h") shouldBe "service must be a name such as dynamodb: https://h"
        }

        test("a service is found however its name is written, and no other service is taken for it") {
            val services =
                Vectors.text("service-names.txt").lines().filter { it.isNotEmpty() && !it.startsWith('#') } +
                    "dynamodbstreams"
            for (preset in Presets.all.filter { it.services.isNotEmpty() }) {
                val variants = preset.services.associateBy { it.filter(Char::isLetterOrDigit) }
                for (service in services) preset.variantOf(service) shouldBe variants[service]
                checkAll(Arb.element(services), Arb.long()) { service, seed ->
                    val written = written(service, Random(seed))
                    withClue("${preset.name}, $written") {
                        preset.variantOf(written) shouldBe variants[service]
                        preset.policy(written) shouldBe preset.policy(variants[service])
                        Presets.named(preset.name, written) shouldBe preset.policy(service)
                    }
                }
            }
        }

        test("every preset finds its own services and leaves others alone") {
            for (preset in Presets.all) {
                for (service in preset.services) preset.policy(service.uppercase()) shouldBe preset.policy(service)
                for (service in listOf("lambda", "sns", "iam")) preset.policy(service) shouldBe preset.policy()
            }
        }
    })

/** [service] as some SDK, or a user, may write it. */
private fun written(service: String, random: Random) = buildString {
    append(listOf("", "", "Amazon ", "AWS ", "aws-").random(random))
    for ((i, letter) in service.withIndex()) {
        if (i > 0 && random.nextInt(6) == 0) append(" ._-".random(random))
        append(if (random.nextBoolean()) letter.uppercaseChar() else letter)
    }
}
