package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.core.ErrorTable
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.http.ErrorCodes
import dev.reprise.core.shell.values.ErrorTable
import dev.reprise.core.shell.values.rules
import org.junit.jupiter.api.Assertions.assertTrue

/** Any header and any body give a code that is short and printable, or none. */
class ErrorCodesFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun body(data: FuzzedDataProvider) {
        val crc32 = data.consumeString(LONGEST_NUMBER)
        val body = data.consumeRemainingAsBytes()
        val text = body.decodeToString()
        val codes = listOf(ErrorCodes.ofBody(body), ErrorCodes.ofHeader(text))
        for (code in codes.filterNotNull()) {
            assertTrue(code.length in 1..MOST && code.all { it in ' '..'~' }) { "not fit: $code" }
        }
        val response = Response(400, codes[0], text, body, headers = mapOf("x-amz-crc32" to crc32))
        ErrorTable(ErrorTable.STANDARD.rules, dropsStatus = true).classifyResult(response)
        Crc32Check().classifyResult(response)
    }

    private companion object {
        const val MOST = 128
        const val LONGEST_NUMBER = 20
    }
}
