package dev.reprise.conformance

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.BadResultException
import dev.reprise.core.CallOptions
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.within
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.java.ThrowingSupplier
import dev.reprise.ktor.Retry
import dev.reprise.presets.Presets
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.test.FaultProbe
import dev.reprise.test.Subject
import dev.reprise.test.VirtualTime
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.ObjectInputStream
import java.io.ObjectOutputStream
import java.util.concurrent.Callable
import kotlin.time.Duration.Companion.milliseconds

/** A failure that cannot be serialized, as those of drivers often cannot. */
private class DriverException : IOException("reset") {
    @Suppress("unused")
    val connection = Any()
}

/** An exception of a user's own. */
private class UserNotFound : IOException("no such user")

/** What each kind of exception of the library looks like, as calls throw it. */
private fun samples(): List<Throwable> {
    val time = VirtualTime()
    val traced = UserNotFound()
    var attempts = 0
    val retrier = time.retrier(RetryPolicy { retryOn<IOException>() })
    shouldThrowAny { time.run { retrier { throw if (++attempts < 3) DriverException() else traced } } }

    val adaptive = time.retrier(Presets.named("adaptive-2.1").with { onNoPermit = NoPermit.Fail })
    shouldThrowAny { time.run { adaptive { throw ScriptedThrottle() } } }
    val noPermit = shouldThrowAny { time.run { adaptive { "never" } } }

    val tooLate = shouldThrowAny { time.run { retrier(CallOptions.DEFAULT.within(0)) { "never" } } }

    Thread.currentThread().interrupt()
    val interrupted = shouldThrowAny {
        time.javaRetrier().call(ThrowingSupplier<String, Exception> { throw InterruptedException() })
    }
    Thread.interrupted()
    val cut = shouldThrowAny {
        Thread.currentThread().interrupt()
        time.javaRetrier(RetryPolicy { retryOn<IOException>() }).call(
            ThrowingSupplier<String, Exception> { throw IOException("while it was interrupted") },
        )
    }
    Thread.interrupted()
    val untraced = time.retrier(RetryPolicy { retryOn<IOException>() }.with { trace = false })
    val marked = shouldThrowAny { time.run { untraced { throw IOException("again and again") } } }
    return listOf(
        marked.suppressed.single(),
        traced,
        RetryTrace.of(traced)!!,
        noPermit,
        tooLate,
        interrupted,
        cut,
        BadResultException(Any(), 3, StopReason.ATTEMPTS),
        AttemptTimeoutException(2, 1_000),
        ConfigException("environment AWS_MAX_ATTEMPTS", "must be a whole number", "x"),
        PolicyFormatException("$.backoff", "must be a duration", "x"),
        shouldThrowAny { RetryPolicy { backoff = Backoff.exponential(900.milliseconds, cap = 10.milliseconds) } },
        runaway(),
        unpacked(),
    )
}

/** An internal exception of retry-ktor, which throws and catches it. */
private fun unpacked(): Throwable = Class.forName("dev.reprise.ktor.NothingToUnpackException")
    .getConstructor(Throwable::class.java).newInstance(IOException("not in gzip")) as Throwable

private class ScriptedThrottle :
    IOException(),
    dev.reprise.core.RetryableFailure {
    override val failureKind get() = (Verdict.THROTTLING as Verdict.Retry).kind
}

/** What the probe stops a loop without cap with. */
private fun runaway(): Throwable {
    var stopped: Throwable? = null
    val endless = Subject.blocking { _, fetch ->
        Callable {
            while (true) {
                try {
                    fetch()
                    break
                } catch (e: Throwable) {
                    if (e is Error) stopped = e
                    if (e is Error || e is InterruptedException) throw e
                }
            }
        }
    }
    FaultProbe({ IOException() }).findings(endless)
    return stopped!!
}

private fun roundTrip(failure: Throwable): Throwable {
    val bytes = ByteArrayOutputStream()
    ObjectOutputStream(bytes).use { it.writeObject(failure) }
    return ObjectInputStream(ByteArrayInputStream(bytes.toByteArray())).use { it.readObject() as Throwable }
}

/** The values of all that [failure] has of the library's; what a call returned stays behind, and the mark of this process. */
private fun facts(failure: Throwable): Map<String, Any?> =
    generateSequence<Class<*>>(failure.javaClass) { it.superclass }
        .takeWhile { it.name.startsWith("dev.reprise.") }
        .flatMap { it.declaredMethods.asSequence() }
        .filter {
            it.name.startsWith("get") && it.parameterCount == 0 && it.name !in setOf("getResult", "getGiveUpMark")
        }
        .associate { it.name to it.apply { isAccessible = true }.invoke(failure) }

class SerializationTest :
    FunSpec({
        test(
            "every exception of the library survives serialization, and so does one of a user's that carries a trace",
        ) {
            for (failure in samples()) {
                withClue("${failure.javaClass}") {
                    val read = roundTrip(failure)
                    read.javaClass shouldBe failure.javaClass
                    read.message shouldBe failure.message
                    facts(read) shouldBe facts(failure)
                    RetryTrace.of(read)?.message shouldBe RetryTrace.of(failure)?.message
                }
            }
        }

        test("there is a sample of every exception of the library") {
            val modules =
                listOf(RetryPolicy::class, Retrier::class, JavaRetrier::class, Retry::class, VirtualTime::class)
            val exceptions = modules.flatMap { classesOf(it.java) }
                .filter {
                    Throwable::class.java.isAssignableFrom(it) &&
                        !java.lang.reflect.Modifier.isAbstract(it.modifiers)
                }
            (exceptions.toSet() - samples().map { it.javaClass }.toSet()).shouldBeEmpty()
        }
    })
