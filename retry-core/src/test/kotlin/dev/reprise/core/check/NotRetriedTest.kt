package dev.reprise.core.check

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import java.io.IOException
import java.sql.SQLException
import java.sql.SQLTimeoutException
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** The lines about what is not retried: each once, whoever asks, and a hundred in all. */
class NotRetriedTest :
    FunSpec({
        /** What is logged by [block]. */
        fun logged(block: () -> Unit): List<String> {
            val lines = ArrayList<String>()
            val handler = object : Handler() {
                override fun publish(record: LogRecord) {
                    lines += record.message
                }

                override fun flush() = Unit

                override fun close() = Unit
            }
            val root = Logger.getLogger("")
            root.addHandler(handler)
            try {
                block()
            } finally {
                root.removeHandler(handler)
            }
            return lines
        }

        test("a type is told once, with the line to write") {
            val told = HashSet<String>()
            val lines = logged {
                val notRetried = NotRetried(retrier = null, told)
                repeat(2) { notRetried.unnamed(IOException()) }
                NotRetried(retrier = null, told).unnamed(IOException())
            }
            lines.single() shouldStartWith
                "java.io.IOException is not retried: no rule of the policy names it. To retry it, write " +
                "retryOn<IOException>() in Kotlin, retryOn(IOException.class) in Java or retryOn in a document"
            lines.single() shouldEndWith "This is logged once."
        }

        test("each retrier that has a name tells it") {
            val told = HashSet<String>()
            val lines = logged {
                for (name in listOf("users", "orders")) NotRetried(name, told).unnamed(IOException())
            }
            lines.map { it.substringBefore(" is not") } shouldContainExactly
                listOf("[users] java.io.IOException", "[orders] java.io.IOException")
        }

        test(
            "an exception that stands for many failures is told with the classifier that knows it, also a subclass of it",
        ) {
            for (failure in listOf(SQLException(), SQLTimeoutException())) {
                logged { NotRetried(null, HashSet()).unnamed(failure) }.single() shouldContain
                    "write classifyFirst(SqlErrors) in Kotlin or classifyFirst(SqlErrors.INSTANCE) in Java."
            }
        }

        test("an error is no surprise, and is not told") {
            logged { NotRetried(null, HashSet()).unnamed(StackOverflowError()) }.shouldBeEmpty()
        }

        test("an operation that must not be repeated is told once for each reason") {
            val lines = logged {
                val notRetried = NotRetried(null, HashSet())
                repeat(2) { notRetried.notReplayable("POST /pay", "it may have been done") }
                notRetried.notReplayable("POST /pay", "its body is gone")
                notRetried.notReplayable(null, "its body is gone")
            }
            lines.map { it.substringBefore(". If") } shouldContainExactly listOf(
                "POST /pay is not retried: it may have been done",
                "POST /pay is not retried: its body is gone",
                "a call, such as a POST, is not retried: its body is gone",
            )
        }

        test("after a hundred lines no more are told, by one retrier or by many, and the last one says so") {
            val byOne = logged {
                val notRetried = NotRetried(null, HashSet())
                repeat(200) { notRetried.unnamed("Type$it") }
            }
            val told = HashSet<String>()
            val byMany = logged { repeat(200) { NotRetried("client$it", told).unnamed("Type") } }
            for (lines in listOf(byOne, byMany)) {
                lines.size shouldBe 100
                lines.dropLast(1).all { it.endsWith("This is logged once.") } shouldBe true
                lines.last() shouldEndWith "This is the last of 100 such lines."
            }
        }
    })
