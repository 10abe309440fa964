package dev.reprise.reactor

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import org.junit.platform.engine.TestEngine
import java.util.ServiceLoader

class TckRunsTest :
    FunSpec({
        test("there is an engine for the cases of the TCK, which would not run without it, and nobody would notice") {
            ServiceLoader.load(TestEngine::class.java).map { it.id } shouldContain "testng"
        }
    })
