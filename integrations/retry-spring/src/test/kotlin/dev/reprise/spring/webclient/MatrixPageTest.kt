package dev.reprise.spring.webclient

import dev.reprise.faults.Matrix
import dev.reprise.faults.MatrixPage
import dev.reprise.faults.Scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlin.time.Duration.Companion.seconds

/**
 * None follows a redirect unless it is told to, a good body of more than a MiB is the caller's from its head on, and Netty takes hints
 * for the response.
 */
private val EXCUSED =
    setOf("REDIRECT_INTO_UNAVAILABLE", "REDIRECT_INTO_RESET", "REDIRECT_INTO_CUT_BODY", "LARGE_CUT_BODY")
private val OF_NETTY = EXCUSED + "EARLY_HINTS"

/** WebClient does what `docs/figures/http-faults.csv` says, over each client below. */
class MatrixPageTest :
    FunSpec({
        // The others only with -Dnightly, or to write the page.
        val isLong = listOf("nightly", "faults.update").any { System.getProperty(it) != null }
        val columns = mapOf(
            Connector.NETTY to "WebClient, Netty",
            Connector.JDK to "WebClient, JDK",
            Connector.JETTY to "WebClient, Jetty",
            Connector.APACHE to "WebClient, Apache",
        )
        for ((connector, column) in columns.filterKeys { isLong || it == Connector.NETTY }) {
            val excused = if (connector == Connector.NETTY) OF_NETTY else EXCUSED
            val matrix by lazy {
                val client = connector.client(quickly { attemptTimeout = 2.seconds })
                Matrix.of(client.asMatrixClient(), false, excused).also {
                    if (java.lang.Boolean.getBoolean("faults.update")) MatrixPage().write(column, it)
                }
            }
            val page by lazy { MatrixPage() }

            for (scenario in Scenario.all()) {
                test("$column does what docs/figures/http-faults.csv says of $scenario") {
                    val found = matrix
                    val expected = page.cell(column, scenario)

                    found.cell(scenario, expected) shouldBe expected
                }
            }
        }
    })
