package dev.reprise.presets.outside

/** A way to fill a text of any size, made to be as hard to read as its kind can be. */
class Shape(
    private val name: String,
    private val head: String,
    private val unit: (Int) -> String,
    private val tail: String,
    private val isEndless: Boolean = false,
) {
    constructor(name: String, unit: String, head: String = "", tail: String = "") :
        this(name, head, { unit }, tail, isEndless = true)

    fun text(size: Int): String {
        val room = maxOf(0, size - head.length - tail.length)
        if (isEndless) return head + unit(0).let { it.repeat(room / it.length) } + tail
        return buildString(size + 200) {
            append(head)
            var i = 0
            while (length < size - tail.length) append(unit(i++))
            append(tail)
        }
    }

    override fun toString(): String = name

    companion object {
        private val ODD = listOf("://a:1", "é", "\u0000", "\uD800")

        /** What no reader is for: blanks, one character, marks without end. */
        val PLAIN =
            (listOf(" ", "\t", "\n", "\r\n", "a", "0", "9", "\"", "\\", "?", "/", "//", "@", ":", "#", ";") + ODD)
                .map { Shape("'$it'", it) }

        /** URLs that go on and on. */
        val URLS = listOf(
            Shape("user info", "a:", "https://"),
            Shape("user info at last", "a:", "https://", "@host/"),
            Shape("URLs in one word", "https://u:p@h/"),
            Shape("URLs in many words", "https://u:p@h/?q "),
            Shape("fragments", "a#", "x "),
            Shape("brackets", "[", "https://"),
            Shape("brackets and ends", "[a]:1", "https://"),
            Shape("a query", "a=b&", "https://h/?"),
        )

        val BODIES = listOf(
            Shape("blanks in Code", " ", "<Code>"),
            Shape("blanks in Code, ended", " ", "<Code>", "</Code>"),
            Shape("chain of Code", "<Code>"),
            Shape("chain of Code and blanks", "<Code>" + " ".repeat(50)),
            Shape("Code and letters", "<Code>" + "x".repeat(255)),
            Shape("chain of code", "\"code\""),
            Shape("blanks after code", " ", "\"code\""),
            Shape("chain of code and blanks", "\"code\"" + " ".repeat(50)),
            Shape("chain of code and colon", "\"code\":\""),
            Shape("code and letters", "\"code\":\"" + "x".repeat(255)),
            Shape("name spaces", "a#", "{\"code\":\"", "\"}"),
        )

        val JSON =
            listOf(
                Shape("arrays", "["),
                Shape("objects", """{"a":"""),
                grows("members", "{", """"b":1}""") { """"a$it":1,""" },
                grows("duplicates", "{", """"b":1}""") { """"a":1,""" },
                grows("escaped names", "{", """"b":1}""") { """"\u0061$it":1,""" },
                grows("colliding names", "{", """"b":1}""") { """"${collision(it)}":1,""" },
                Shape("a long name", "a", """{"""", """":1}"""),
                Shape("a long text", "\\u0061", """{"preset":"""", """"}"""),
                Shape("a long number", "9", """{"maxAttempts":""", "}"),
                Shape("a long fraction", "9", """{"sendRate":{"beta":0.""", "}}"),
                Shape("a long exponent", "9", """{"sendRate":{"beta":1e""", "}}"),
                Shape("a long duration", "9", """{"deadline":"""", """s"}"""),
                Shape("a long ISO duration", "9", """{"deadline":"PT""", """S"}"""),
                Shape("a long word", "x", """{"trace":""", "}"),
                grows("codes", """{"classifier":[{"table":[{"kind":"transient","codes":[""", """"c"]}]}]}""") {
                    """"c$it","""
                },
                grows("rules", """{"classifier":[{"table":[""", """{"kind":"reject","codes":["c"]}]}]}""") {
                    """{"kind":"reject","statuses":["400-499"]},"""
                },
                grows("parts", """{"classifier":[""", """"self"]}""") { """"self","transport",""" },
                grows("server delays", """{"serverDelays":[""", "$DELAY]}") { "$DELAY," },
            )

        private const val DELAY = """{"header":"retry-after","clamp":"1s"}"""
        private const val REF = "\"\$ref\""
        private const val STATUS = """{"applies_when":{"response":{"http_status_code":500}}}"""
        private const val RULES =
            """"max_attempts":3,"delay":{"type":"exponential","base":1,"growth_factor":2}"""
        private const val DEFAULT = """"retry":{"__default__":{$RULES,"policies":{"""
        private const val ENDS = "}}}}"

        /** Rules that all refer to [definition]. */
        private fun references(name: String, definition: String) =
            grows(name, """{"definitions":{"d":$definition},$DEFAULT""", """"p":$STATUS$ENDS""") {
                """"p$it":{$REF:"d"},"""
            }

        /** Definitions that refer to the next one. */
        private fun chain(name: String, unit: (Int) -> String) =
            grows(name, """{"definitions":{""", """"d":{}},$DEFAULT"p":{$REF:"d0"}$ENDS""", unit)

        val MODELS =
            listOf(
                grows("policies", "{$DEFAULT", """"p":$STATUS$ENDS""") { """"p$it":$STATUS,""" },
                references("references to one", STATUS),
                references("references to one that is long", """{"a":"${"x".repeat(5_000)}"}"""),
                chain("a chain of references") { """"d$it":{$REF:"d${it + 1}"},""" },
                chain("references that double") {
                    val next = """{$REF:"d${it + 1}"}"""
                    """"d$it":{"a":$next,"b":$next},"""
                },
                grows("services", "{$DEFAULT}}", "}}") { ""","s$it":{"__default__":{}}""" },
                grows("operations", """{$DEFAULT}},"s":{"a":{"policies":{}}""", "}}}") {
                    ""","o$it":{"policies":{}}"""
                },
                grows(
                    "policies and services",
                    "{$DEFAULT${(1..300).joinToString(",") {
                        """"p$it":$STATUS"""
                    }}}}",
                    "}}",
                ) {
                    ""","s$it":{"__default__":{}}"""
                },
                grows(
                    "socket errors",
                    """{$DEFAULT"p":{"applies_when":{"socket_errors":[""",
                    """"GENERAL_CONNECTION_ERROR"]}}$ENDS""",
                ) { """"GENERAL_CONNECTION_ERROR",""" },
            )

        val PROFILES = listOf(
            Shape("continued lines", " x\n", "[default]\nkey = 1\n"),
            Shape("a continued attempt", " 5\n", "[default]\nmax_attempts = 1\n"),
            Shape("comments that are none", " #", "[default]\nk = "),
            Shape("hashes", "#", "[default]\nk = "),
            Shape("blanks before a comment", " ", "[default]\nk = ", "#"),
            grows("profiles", "", "") { "[profile p$it]\nk=$it\n" },
            Shape("one profile", "[profile p]\nk=1\n"),
            grows("keys", "[default]\n", "") { "k$it=1\n" },
            grows("colliding keys", "[default]\n", "") { "${collision(it)}=1\n" },
            Shape("one key", "k=1\n", "[default]\n"),
            Shape("a header of blanks", " ", "[", "]"),
            Shape("a header of quotes", "\"", "[profile \"", "]"),
            Shape("a long name", "a", "[profile ", "]"),
            Shape("a line without end", "k", "[default]\n"),
            Shape("a long number", "9", "[default]\nmax_attempts = "),
            Shape("a long mode", "x", "[default]\nretry_mode = "),
            Shape("empty headers", "[]\n"),
        )

        val VALUES = listOf(
            Shape("digits", "9"),
            Shape("digits after a sign", "9", "-"),
            Shape("digits and a blank", "9", tail = " "),
            Shape("blanks and a digit", " ", tail = "7"),
            Shape("a date and more", "9", "Sun, 06 Nov 1994 08:49:37 GMT"),
            Shape("dates", "Sun, 06 Nov 1994 08:49:37 GMT "),
            Shape("blanks before a date", " ", tail = "Sun, 06 Nov 1994 08:49:37 GMT"),
        )

        private fun grows(name: String, head: String, tail: String, unit: (Int) -> String) =
            Shape(name, head, unit, tail)

        /** Names of one hash code: `Aa` and `BB` have the same, and so has any sequence of them. */
        private fun collision(i: Int) = (0 until 16).joinToString("") { if (i shr it and 1 == 0) "Aa" else "BB" }
    }
}
