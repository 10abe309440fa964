package dev.reprise.build

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import kotlin.io.path.Path
import kotlin.io.path.absolute
import kotlin.io.path.name

/**
 * Fails when the public ABI of the module in the working directory is not the one in `api/<module>.api`.
 *
 * With `-Dabi.update=true` it writes the file instead.
 */
abstract class AbiDumpSpec :
    FunSpec({
        val module = Path("").absolute().name
        val dump = AbiDump(classes = Path("target", "classes"), file = Path("api", "$module.api"))

        test("the public ABI is the one that is checked in") {
            if (System.getProperty("abi.update").toBoolean()) dump.record()

            withClue("If this is meant: mvn test -pl :$module -am -Dtest=AbiDumpTest -Dabi.update=true") {
                dump.changes().shouldBeNull()
            }
        }
    })
