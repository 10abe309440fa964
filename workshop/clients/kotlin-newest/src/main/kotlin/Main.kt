import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.ktor.Retry
import dev.reprise.ktor.retryReport
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import kotlinx.coroutines.runBlocking
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

private val threeTries = RetryPolicy {
    maxAttempts = 3
    backoff = Backoff.fixed(1.milliseconds)
}

private suspend fun coroutines() {
    val result = Retrier(threeTries).invoke { attempt ->
        if (!attempt.isLast) throw IOException("down")
        attempt.number
    }
    check(result == 3) { result }
}

private suspend fun ktor() {
    var requests = 0
    val engine = MockEngine {
        if (++requests < 3) respond("down", HttpStatusCode.ServiceUnavailable) else respond("up")
    }
    val client = HttpClient(engine) {
        install(Retry) { policy = threeTries }
    }
    client.use {
        val response = it.get("https://example.org")
        check(response.bodyAsText() == "up" && requests == 3) { requests }
        check(response.retryReport.attempts == 3) { response.retryReport }
    }
}

/** The coroutine face and the Ktor plugin, on the newest compiler and libraries. */
fun main() = runBlocking {
    coroutines()
    ktor()
    println("kotlin-newest: passed on Kotlin ${KotlinVersion.CURRENT}, Java ${Runtime.version()}")
}
