import dev.reprise.core.Backoff
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import kotlinx.coroutines.runBlocking
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

/** The core and the coroutine face, on the oldest Kotlin that is promised. */
fun main() = runBlocking {
    check(KotlinVersion.CURRENT.isAtLeast(2, 1) && !KotlinVersion.CURRENT.isAtLeast(2, 3)) { KotlinVersion.CURRENT }

    val policy = RetryPolicy {
        maxAttempts = 4
        backoff = Backoff.fixed(1.milliseconds)
    }
    check(PolicyJson.read(PolicyJson.write(policy)) == policy)

    val retrier = Retrier(policy)
    var calls = 0
    val result = retrier { attempt ->
        calls++
        if (attempt.number < 3) throw IOException("down")
        "attempt ${attempt.number}"
    }
    check(result == "attempt 3" && calls == 3) { "$result after $calls calls" }

    when (val outcome = retrier.outcome<String> { throw IOException("still down") }) {
        is RetryOutcome.Failure -> check(outcome.attempts == 4) { outcome }
        is RetryOutcome.Success, is RetryOutcome.BadResult -> error(outcome)
    }

    check(Retrier(Presets.named("adaptive-2.1")).invoke { it.number } == 1)
    println("kotlin-2.1: passed on Kotlin ${KotlinVersion.CURRENT}, Java ${Runtime.version()}")
}
