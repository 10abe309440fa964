package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestScope

internal val isNightly = System.getProperty("nightly") != null

/** A test that is slow or needs a machine that is not busy: it is there only with `-Dnightly`. */
internal fun FunSpec.nightly(name: String, test: suspend TestScope.() -> Unit) {
    if (isNightly) test(name, test)
}
