@file:OptIn(InternalApi::class)

package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.telemetry.logging.LoggingContextElement
import dev.reprise.core.CallOptions
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlin.coroutines.EmptyCoroutineContext

class OperationsTest :
    FunSpec({
        fun context(name: Any) = LoggingContextElement(mapOf("rpc" to name))

        test("the operations that wait at AWS for work are long polls, and so is what the user adds") {
            val operations = Operations(setOf("Orders.NextOrder"))
            val names = listOf(
                "SQS.ReceiveMessage",
                "SFN.GetActivityTask",
                "SWF.PollForActivityTask",
                "SWF.PollForDecisionTask",
                "Orders.NextOrder",
                "SQS.SendMessage",
            )
            names.filter { operations.optionsOf(context(it)).longPolling } shouldBe names - "SQS.SendMessage"
            Operations(emptySet()).optionsOf(context("Orders.NextOrder")).longPolling shouldBe false
        }

        test("an operation has one set of options, which carries its name") {
            val operations = Operations(emptySet())
            val options = operations.optionsOf(context("DynamoDB.GetItem"))
            options.operation shouldBe "DynamoDB.GetItem"
            operations.optionsOf(context("DynamoDB.GetItem")) shouldBeSameInstanceAs options
        }

        test("a call whose name is not known is unnamed") {
            val operations = Operations(emptySet())
            operations.optionsOf(EmptyCoroutineContext) shouldBeSameInstanceAs CallOptions.DEFAULT
            operations.optionsOf(context(42)) shouldBeSameInstanceAs CallOptions.DEFAULT
        }

        test("a client that makes names up gets options for each, however many") {
            val operations = Operations(emptySet())
            for (i in 1..3_000) operations.optionsOf(context("Made.Up$i")).operation shouldBe "Made.Up$i"
        }
    })
