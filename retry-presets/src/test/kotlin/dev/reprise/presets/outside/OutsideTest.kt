package dev.reprise.presets.outside

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe

/**
 * What comes from outside is bounded: for each place where it comes in, each shape that is hard to read there, and each
 * size, in CPU and memory for each character, and in what may be thrown and said. `-Dnightly` goes up to ten megabytes.
 */
class OutsideTest :
    FunSpec({
        val isNightly = System.getProperty("nightly") != null

        fun sizesOf(shape: Shape): List<Int> {
            val most = if (isNightly) {
                4
            } else if (shape in Shape.PLAIN) {
                2
            } else {
                3
            }
            return listOf(10_000, 100_000, 1_000_000, 10_000_000).take(most)
        }

        for (door in Door.ALL) {
            test("$door: cost grows with the text and no faster, and all that comes out is documented and short") {
                for (shape in door.shapes) {
                    var before: Work? = null
                    for (size in sizesOf(shape)) {
                        val text = shape.text(size)
                        var result = Result.success<Any?>(null)
                        val work = Work.of { result = runCatching { door.read(text) } }
                        withClue("$shape, $size characters") {
                            door.shouldSay(result)
                            work.bytes shouldBeLessThan door.bytesAtOnce + BYTES_FOR_EACH * size
                            val most = before?.let { maxOf(SLACK * 10 * it.cpuNanos, FREE_NANOS) } ?: FIRST_NANOS
                            work.cpuNanos shouldBeLessThan most
                        }
                        before = work
                    }
                }
            }
        }

        test("the worst shape that a regular expression had is a moment's work") {
            Work.of { Door.ALL[1].read("<Code>" + " ".repeat(8_000)) }.cpuNanos shouldBeLessThan FREE_NANOS
        }
    })

/** Only the documented exception, and of texts only those that fit into one line of a log. */
fun Door.shouldSay(result: Result<Any?>) {
    val failure = result.exceptionOrNull()
    if (failure != null) {
        withClue("$failure") { (documented != null && documented.java.isInstance(failure)) shouldBe true }
    }
    val text = failure?.message ?: result.getOrNull() as? String ?: return
    text.length shouldBeLessThan LONGEST_TEXT
    withClue(text) { text.none { it.isISOControl() || it in "\u2028\u2029\u202e" } shouldBe true }
}

/** Ten times as much may cost ten times ten times as much: the collector and the compiler work when they like. */
private const val SLACK = 10

/** What is too little to compare; at a megabyte a quadratic reader needs minutes. */
private const val FREE_NANOS = 1_000_000_000L

/** Ten thousand characters, in which much is loaded and compiled for the first time. */
private const val FIRST_NANOS = 5_000_000_000L

/** For each character a tree of JSON and what is built of it. */
private const val BYTES_FOR_EACH = 300L

/** A path, a rule that lists all presets, and a value. */
private const val LONGEST_TEXT = 1_300
