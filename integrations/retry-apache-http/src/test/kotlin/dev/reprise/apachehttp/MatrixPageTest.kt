package dev.reprise.apachehttp

import dev.reprise.faults.Held
import dev.reprise.faults.Kind
import dev.reprise.faults.Matrix
import dev.reprise.faults.MatrixPage
import dev.reprise.faults.Observation
import dev.reprise.faults.Scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.hc.client5.http.config.RequestConfig
import org.apache.hc.core5.util.Timeout
import java.net.URI
import kotlin.time.Duration.Companion.seconds

private const val COLUMN = "Apache HttpClient"

/** Apache's client does what `docs/figures/http-faults.csv` says. */
class MatrixPageTest :
    FunSpec({
        val matrix by lazy {
            val retries = quickly { attemptTimeout = 2.seconds }
            Matrix.of(MatrixClient(retries), false, Matrix.AFTER_THE_HEAD).also {
                if (java.lang.Boolean.getBoolean("faults.update")) MatrixPage().write(COLUMN, it)
            }
        }
        val page by lazy { MatrixPage() }

        for (scenario in Scenario.all().filter { it.held() != Held.SOCKET }) {
            test("$COLUMN does what docs/figures/http-faults.csv says of $scenario") {
                val found = matrix
                val expected = page.cell(COLUMN, scenario)

                found.cell(scenario, expected) shouldBe expected
            }
        }
    })

private class MatrixClient(retries: ApacheRetries) : Matrix.Client {
    // The caller's own reading has the client's own timeout.
    private val client = retries.client(100) {
        setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(Timeout.ofSeconds(3)).build())
    }

    override fun send(kind: Kind, uri: URI): Observation = observed {
        val got = client.got(requestOf(kind, uri))
        got.status to got.body
    }

    override fun hold(held: Held, uri: URI): Observation? = when (held) {
        Held.EVENTS -> observed {
            client.executeOpen(null, requestOf(Kind.GET, uri), null).use { response ->
                val lines = response.entity.content.bufferedReader()
                response.code to generateSequence(lines::readLine).first().removePrefix("data: ")
            }
        }

        Held.SOCKET -> null
    }

    private fun observed(send: () -> Pair<Int, String>): Observation =
        Observation.of { send().let { (status, body) -> Observation.of(status, body) } }
}
