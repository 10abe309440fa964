package dev.reprise.core

import dev.reprise.core.shell.call.AroundClassifier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.net.ConnectException
import java.net.SocketException
import java.net.UnknownHostException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

private class Busy(override val serverDelay: Duration?) :
    IOException("busy"),
    RetryableFailure {
    override val failureKind = FailureKind.TRANSIENT
}

class WhatRulesKnowTest :
    FunSpec({
        test("a rule for a type leaves it to the rules about connections whether anything was sent") {
            val refused = ConnectException("refused")
            val named = RetryPolicy {
                retryOn(IOException::class.java)
                retryOn(RuntimeException::class.java)
            }
            val within = named.with { classifier = object : AroundClassifier(classifier) {} }
            val onceOnly = CallOptions.builder().repeat(Repeat.IF_UNSENT).build()
            for (policy in listOf(RetryPolicy.STANDARD, named, within)) {
                val attempts = listOf(
                    refused,
                    UnknownHostException("h"),
                    RuntimeException(refused),
                    SocketException("reset"),
                ).map { failure -> Shell(policy).run({ throw failure }, options = onceOnly).outcome().attempts }
                attempts shouldContainExactly listOf(3, 3, 3, 1)
            }
        }

        test("an exception of input that an interrupt caused is no broken connection") {
            TransportErrors.classifyFailure(IOException(InterruptedException())) shouldBe Verdict.Reject
            RetryPolicy.STANDARD.classifier.classifyFailure(IOException(IOException())).shouldNotBeNull()
        }

        test("a delay that a failure itself asks for is followed as far as Retry-After") {
            fun waitsOf(policy: RetryPolicy, asked: Duration) = Recorder().also { heard ->
                Shell(policy.with { noBackoff() }, listOf(heard)).run({ throw Busy(asked) }, { 1 })
            }.events.filterIsInstance<RetryEvent.RetryScheduled>().map { it.delay }

            waitsOf(RetryPolicy.HTTP, 9.seconds) shouldContainExactly listOf(9.seconds)
            waitsOf(RetryPolicy.HTTP, 61.seconds) shouldContainExactly emptyList()
            waitsOf(RetryPolicy.STANDARD, 9.seconds) shouldContainExactly listOf(5.seconds)
            val patient = RetryPolicy.STANDARD.with { honourRetryAfter(cap = 2.minutes) }
            waitsOf(patient, 61.seconds) shouldContainExactly listOf(61.seconds)
        }
    })
