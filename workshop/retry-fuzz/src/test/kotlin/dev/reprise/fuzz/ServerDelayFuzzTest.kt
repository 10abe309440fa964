package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.read
import org.junit.jupiter.api.Assertions.assertTrue
import kotlin.time.Duration.Companion.nanoseconds

/** Any header gives a wish in range or none, and any wish a delay within its bound. */
class ServerDelayFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun header(data: FuzzedDataProvider) {
        val backoff = data.consumeLong(0, Long.MAX_VALUE)
        val room = data.consumeLong(0, Long.MAX_VALUE)
        val date = data.consumeString(LONGEST_DATE)
        val value = data.text()
        for (header in ServerDelayHeader.entries) {
            val response = Response(headers = mapOf(header.headerName to value, "date" to date))
            val wish = header.read(response)
            assertTrue(wish >= UNREADABLE) { "$header says absent: $wish" }
            if (wish == UNREADABLE) continue
            assertTrue(wish >= 0 || header in SIGNED) { "$header: $wish" }
            val isDigits = value.isNotEmpty() && value.all { it in '0'..'9' }
            if (header == ServerDelayHeader.AMZ_MILLIS) assertTrue(isDigits) { "not digits: $value" }
            assertTrue(ServerDelayBound.clamp(room.nanoseconds).delayNanos(backoff, wish) >= backoff)
            assertTrue(ServerDelayBound.atMost(room.nanoseconds).delayNanos(backoff, wish) >= backoff)
            assertTrue(ServerDelayBound.add(room.nanoseconds).delayNanos(backoff, wish) >= 0)
        }
    }

    private companion object {
        const val LONGEST_DATE = 40

        /** Beside it there is one lower value, for a header that is absent. */
        const val UNREADABLE = Long.MIN_VALUE + 1
        val SIGNED = setOf(ServerDelayHeader.RETRY_AFTER_ATOI, ServerDelayHeader.RETRY_AFTER_PARSE_INT)
    }
}
