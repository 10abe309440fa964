package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.presets.config.ConfigException
import org.junit.jupiter.api.Assertions.assertFalse

/** No text that goes into a message shows what stands behind the question mark of a URL in it. */
class RedactionFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun message(data: FuzzedDataProvider) {
        val before = data.consumeString(LONGEST)
        val between = data.consumeString(LONGEST).filterNot { it in ENDS_OF_SECRETS }
        val after = data.text()
        val text = "$before https://host/path?$between$SECRET$after"
        val message = ConfigException(text, text, text).message.orEmpty()
        requireOneLine(message)
        assertFalse(SECRET in message && SECRET !in before && SECRET !in after) { message }
    }

    private companion object {
        const val LONGEST = 300
        const val SECRET = "hunter2"

        /** A URL ends at a blank, and only the first line of a text is shown. */
        const val ENDS_OF_SECRETS = " \t\r\n"
    }
}
