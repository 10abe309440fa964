package io.kotest.provided

import io.kotest.core.config.AbstractProjectConfig
import io.kotest.core.names.DuplicateTestNameMode
import io.kotest.property.PropertyTesting

/**
 * How Kotest runs in every module; Kotest looks for a class of this name.
 *
 * A property that fails prints its seed; `-Dkotest.proptest.default.seed=<seed>` runs it again with the same values.
 */
class ProjectConfig : AbstractProjectConfig() {
    override val failOnEmptyTestSuite = true
    override val duplicateTestNameMode = DuplicateTestNameMode.Error

    override suspend fun beforeProject() {
        // A build that remembers seeds in the home directory is not the same build on the next machine.
        PropertyTesting.writeFailedSeed = false
    }
}
