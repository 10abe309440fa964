package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import com.github.ajalt.clikt.core.ProgramResult
import com.github.ajalt.clikt.core.parse
import dev.reprise.lab.retryLab
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.BeforeEach
import java.io.ByteArrayOutputStream
import java.io.OutputStream
import java.io.PrintStream

/** Any scenario is played, or refused with exit code 2 and one line on standard error. */
class ReplayFuzzTest {
    private val streams = Triple(System.`in`, System.out, System.err)
    private val errors = ByteArrayOutputStream()

    @BeforeEach
    fun redirect() {
        System.setOut(PrintStream(OutputStream.nullOutputStream()))
        System.setErr(PrintStream(errors))
    }

    @AfterEach
    fun restore() {
        System.setIn(streams.first)
        System.setOut(streams.second)
        System.setErr(streams.third)
    }

    @FuzzTest(maxDuration = "1m")
    fun scenario(data: FuzzedDataProvider) {
        System.setIn(data.text().byteInputStream())
        errors.reset()
        try {
            retryLab().parse(listOf("replay"))
        } catch (result: ProgramResult) {
            assertEquals(2, result.statusCode)
            // Jazzer writes there, too, whatever it likes.
            val said = errors.toString().lines().filter { it.startsWith("standard input: ") }
            assertEquals(1, said.size) { "$said" }
            requireOneLine(said.single())
        }
    }
}
