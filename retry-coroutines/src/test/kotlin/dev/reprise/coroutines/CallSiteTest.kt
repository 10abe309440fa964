package dev.reprise.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import java.io.PrintWriter
import java.io.StringWriter
import java.nio.file.Path
import java.util.spi.ToolProvider

/** HotSpot never compiles a method of more than 8,000 bytes, so a call must not cost its function many. */
class CallSiteTest :
    FunSpec({
        val sizes = methodSizes(CallSites::class.java)

        test("a one-line call costs its function what any suspend function that takes a block costs") {
            sizes.getValue("byHand") shouldBeGreaterThan 100
            sizes.getValue("ours") shouldBeLessThanOrEqual sizes.getValue("byHand") + 10
        }

        test("twenty calls in one function stay far from the size beyond which it is never compiled") {
            sizes.getValue("twenty") shouldBeLessThan 5_000
        }
    })

/** The bytes of each method of [type], as javap counts them. */
private fun methodSizes(type: Class<*>): Map<String, Int> {
    val file = Path.of(
        type.protectionDomain.codeSource.location.toURI(),
    ).resolve(type.name.replace('.', '/') + ".class")
    val text = StringWriter()
    ToolProvider.findFirst("javap").orElseThrow().run(PrintWriter(text), PrintWriter(System.err), "-c", "-p", "$file")
    val method = Regex("""^ {2}.* (\w+)\(.*\);$""")
    val instruction = Regex("""^ +(\d+): [a-z]""")
    val sizes = mutableMapOf<String, Int>()
    var name = ""
    for (line in text.toString().lines()) {
        method.find(line)?.let { name = it.groupValues[1] }
        instruction.find(line)?.let { sizes.merge(name, it.groupValues[1].toInt() + 1, ::maxOf) }
    }
    return sizes
}
