package dev.reprise.samples

import dev.reprise.test.Subject
import dev.reprise.test.VirtualTime
import kotlinx.coroutines.delay
import java.io.FileNotFoundException
import java.io.IOException
import java.util.concurrent.Callable
import kotlin.time.Duration.Companion.milliseconds

/*
 * Retry code as people write it, each with one defect of the kinds that the study of WASABI counts.
 */

private val WAIT = 50.milliseconds

/** A loop of which each miniature changes one thing. */
private fun loop(
    time: VirtualTime,
    fetch: () -> String,
    isDone: (made: Int) -> Boolean = { it >= 3 },
    isRetried: (Exception) -> Boolean = { it is IOException && it !is FileNotFoundException },
    wait: (made: Int) -> Unit = { time.await(WAIT) },
): String {
    var made = 0
    while (true) {
        try {
            return fetch()
        } catch (e: Exception) {
            if (isDone(++made) || !isRetried(e)) throw e
            wait(made)
        }
    }
}

/** It retries every exception that a file system may throw; one of them says that the file is not there. */
internal val wrongClassification = Subject.blocking { time, fetch ->
    Callable { loop(time, fetch, isRetried = { it is IOException }) }
}

/** It means to retry, but what it catches is wrapped by then. */
internal val noRetry = Subject.blocking { time, fetch ->
    val wrapped = { runCatching(fetch).getOrElse { throw IllegalStateException(it) } }
    Callable { loop(time, wrapped) }
}

/** The job is cancelled; its loop takes that for one more failure. */
internal val cancelledWorkGoesOn = Subject.suspending { _, fetch ->
    suspend {
        var result: String? = null
        repeat(3) { if (result == null) result = runCatching { fetch() }.getOrNull() }
        result
    }
}

/** It asks again at once, as fast as the machine can. */
internal val noDelay = Subject.blocking { time, fetch -> Callable { loop(time, fetch, wait = {}) } }

/** A count that is compared with `==`, and starts above what it is compared with. */
internal val noCap = Subject.blocking { time, fetch -> Callable { loop(time, fetch, isDone = { it + 3 == 3 }) } }

/** The delay doubles in a field, and success does not set it back. */
internal val stateNotReset = Subject.blocking { time, fetch ->
    var delay = WAIT
    Callable {
        val wait = { _: Int ->
            time.await(delay)
            delay *= 2
        }
        loop(time, fetch, wait = wait)
    }
}

/** The service counts attempts in a field; two jobs at once count each other's. */
internal val racingCount = Subject.suspending { _, fetch ->
    val jobs = Jobs(fetch)
    suspend { jobs.run() }
}

private class Jobs(private val fetch: suspend () -> String) {
    private var attempts = 0

    suspend fun run(): String {
        attempts = 0
        while (true) {
            try {
                return fetch()
            } catch (e: IOException) {
                if (++attempts >= 3) throw e
                delay(50)
            }
        }
    }
}

/** A payment is sent again, though it is not known whether the first one went through. */
internal val paidTwice = Subject.blocking { time, pay -> Callable { loop(time, pay) } }

/** When all attempts have failed it returns `null`, and the caller never learns why. */
internal val lostFailure = Subject.blocking { time, fetch ->
    Callable { runCatching { loop(time, fetch) }.getOrElse { if (it is InterruptedException) throw it else null } }
}

/** All of the loop, and nothing wrong with it. */
internal val soundLoop = Subject.blocking { time, fetch -> Callable { loop(time, fetch) } }
