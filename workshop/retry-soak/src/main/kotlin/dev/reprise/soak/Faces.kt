package dev.reprise.soak

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi
import dev.reprise.coroutines.Retrier
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration
import java.util.concurrent.Executor
import kotlin.time.Duration.Companion.milliseconds

/** One request: it may be cancelled in [cancelAfterMillis], or never if that is negative. */
internal class Call(val uri: URI, val isUnsafe: Boolean, val cancelAfterMillis: Long) {
    val options: CallOptions = if (isUnsafe) ONCE else SAFE

    fun request(): HttpRequest {
        val request = HttpRequest.newBuilder(uri)
        return if (isUnsafe) request.POST(HttpRequest.BodyPublishers.ofString("pay")).build() else request.build()
    }

    private companion object {
        val SAFE = CallOptions("get")
        val ONCE = CallOptions("pay").with { repeat = Repeat.NEVER }
    }
}

/** One way to call the library. */
internal abstract class Face(name: String, mayBeCancelled: Boolean = true) : AutoCloseable {
    val books: Books = Books(name, mayBeCancelled)

    /** The name as it stands in paths. */
    val pathName: String = name.replace(' ', '-').replace(',', '-')

    /** Whether its client is the JDK's, which keeps what [Garbage] says. */
    open val usesJdk: Boolean get() = true

    protected val retrier: Retrier =
        Retrier(policy()) {
            quota = books.quota
            listener(books)
        }
    protected val java: JavaRetrier get() = JavaRetrier.sharing(retrier, CountingWaiter, SoakThreads)

    /** How many callers stand in the line for send permits. */
    @OptIn(ShellApi::class)
    val waiting: Int get() = retrier.setup.line?.waiting ?: 0

    /** Makes [call] on this thread, which the cancellation may interrupt, to its end. Throws what it ends with. */
    abstract fun make(call: Call)

    override fun close() = Unit

    companion object {
        fun policy(): RetryPolicy = RetryPolicy {
            maxAttempts = 4
            backoff = Backoff.exponential(1.milliseconds, cap = 20.milliseconds)
            attemptTimeout = 250.milliseconds
            deadline = 1_000.milliseconds
            classifier = RetryPolicy.HTTP.classifier
        }
    }
}

/** Where futures of the faces complete. */
internal object SoakThreads : Executor {
    private val threads = java.util.concurrent.Executors.newFixedThreadPool(2) { work ->
        Thread(work, "soak-executor").apply { isDaemon = true }
    }

    override fun execute(task: Runnable) = threads.execute(task)
}

/** The plain client that faces without an HTTP client of their own use. */
internal object Plain {
    val client: HttpClient = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build()

    /** A response as the classifiers see it. */
    class Outcome(private val response: HttpResponse<String>) : HttpOutcome() {
        override val status: Int get() = response.statusCode()

        override fun header(name: String): String? = response.headers().firstValue(name).orElse(null)
    }

    fun attempt(call: Call) = BlockingAttempt<Any, Exception> {
        Outcome(client.send(call.request(), BodyHandlers.ofString()))
    }
}
