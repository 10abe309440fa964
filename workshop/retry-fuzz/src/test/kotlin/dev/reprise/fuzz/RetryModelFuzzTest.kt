package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.presets.botocore.RetryModel
import dev.reprise.presets.document.PolicyFormatException

/** A retry model that is read can be resolved for each of its services, or it is refused in one line. */
class RetryModelFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun model(data: FuzzedDataProvider) {
        val text = data.text()
        val model = readOrRefuse<PolicyFormatException, _> { RetryModel.read(text) } ?: return
        for (service in model.services + null) model.resolve(service)
    }
}
