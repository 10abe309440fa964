package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.document.PolicyFormatException
import org.junit.jupiter.api.Assertions.assertEquals

/** Any document is a policy that is written and read back equal, or is refused in one line. */
class PolicyJsonFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun policy(data: FuzzedDataProvider) {
        val text = data.text()
        val policy = readOrRefuse<PolicyFormatException, _> { PolicyJson.read(text) } ?: return
        val back = PolicyJson.read(PolicyJson.write(policy))
        assertEquals(policy, back)
        assertEquals(policy.hashCode(), back.hashCode())
    }
}
