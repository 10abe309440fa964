package dev.reprise.build

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlin.io.path.Path

class AbiDumpTest :
    FunSpec({
        val dump = AbiDump(Path("target", "test-classes"), tempdir().toPath().resolve("api/module.api"))

        test("a dump lists what is public and leaves out what is internal") {
            val actual = dump.actual()

            actual shouldContain "class dev/reprise/build/Shown"
            actual shouldContain "public final fun publishedFromInline ()V"
            actual shouldNotContain "hidden"
        }

        test("what is not recorded is a change, and no change once it is") {
            dump.changes().shouldNotBeNull() shouldContain "+public final class dev/reprise/build/Shown"

            dump.record()

            dump.changes().shouldBeNull()
        }
    })

class Shown {
    @PublishedApi
    internal fun publishedFromInline() = Unit

    internal fun hidden() = Unit
}
