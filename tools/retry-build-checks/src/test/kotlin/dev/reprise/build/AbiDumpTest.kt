package dev.reprise.build

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlin.io.path.Path

class AbiDumpTest :
    FunSpec({
        val classes = Path("target", "test-classes")

        test("a dump lists what is public and leaves out what is internal") {
            val actual = AbiDump(classes, Path("none")).actual()

            actual shouldContain "class dev/reprise/build/Shown"
            actual shouldContain "public final fun publishedFromInline ()V"
            actual shouldNotContain "hidden"
        }

        test("a recorded dump is the actual one") {
            val dump = AbiDump(classes, tempdir().toPath().resolve("api/module.api"))
            dump.recorded() shouldBe ""

            dump.record()

            dump.recorded() shouldBe dump.actual()
        }
    })

class Shown {
    @PublishedApi
    internal fun publishedFromInline() = Unit

    internal fun hidden() = Unit
}
