package dev.reprise.core.outside

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
        if (isEndless) return head + unit(0).let { it.repeat(maxOf(0, size - head.length - tail.length) / it.length) } + tail
        return buildString(size + 200) {
            append(head)
            var i = 0
            while (length < size - tail.length) append(unit(i++))
            append(tail)
        }
    }

    override fun toString(): String = name

    companion object {
        private const val REF = "\"\$ref\""

        /** What no reader is for: blanks, one character, marks without end. */
        val PLAIN =
            listOf(" ", "\t", "\n", "\r\n", "a", "0", "9", "\"", "\\", "?", "/", "//", "@", ":", "#", ";", "://a:1", "é", "\u0000", "\uD800")
                .map { Shape("'$it'", it) }

        /** URLs that go on and on. */
        val URLS =
            listOf(
                Shape("user info", "a:", "https://"),
                Shape("user info at last", "a:", "https://", "@host/"),
                Shape("URLs in one word", "https://u:p@h/"),
                Shape("URLs in many words", "https://u:p@h/?q "),
                Shape("fragments", "a#", "x "),
                Shape("brackets", "[", "https://"),
                Shape("brackets and ends", "[a]:1", "https://"),
                Shape("a query", "a=b&", "https://h/?"),
            )

        val BODIES =
            listOf(
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
                Shape("objects", "{\"a\":"),
                Shape("members", "{", { "\"a$it\":1," }, "\"b\":1}"),
                Shape("duplicates", "{", { "\"a\":1," }, "\"b\":1}"),
                Shape("escaped names", "{", { "\"\\u0061$it\":1," }, "\"b\":1}"),
                Shape("colliding names", "{", { "\"${collision(it)}\":1," }, "\"b\":1}"),
                Shape("a long name", "a", "{\"", "\":1}"),
                Shape("a long text", "\\u0061", "{\"preset\":\"", "\"}"),
                Shape("a long number", "9", "{\"maxAttempts\":", "}"),
                Shape("a long fraction", "9", "{\"sendRate\":{\"beta\":0.", "}}"),
                Shape("a long exponent", "9", "{\"sendRate\":{\"beta\":1e", "}}"),
                Shape("a long duration", "9", "{\"deadline\":\"", "s\"}"),
                Shape("a long ISO duration", "9", "{\"deadline\":\"PT", "S\"}"),
                Shape("a long word", "x", "{\"trace\":", "}"),
                Shape("codes", "{\"classifier\":[{\"table\":[{\"kind\":\"transient\",\"codes\":[", { "\"c$it\"," }, "\"c\"]}]}]}"),
                Shape("rules", "{\"classifier\":[{\"table\":[", { "{\"kind\":\"reject\",\"statuses\":[\"400-499\"]}," }, "{\"kind\":\"reject\",\"codes\":[\"c\"]}]}]}"),
                Shape("parts", "{\"classifier\":[", { "\"self\",\"transport\"," }, "\"self\"]}"),
                Shape("server delays", "{\"serverDelays\":[", { "{\"header\":\"retry-after\",\"clamp\":\"1s\"}," }, "{\"header\":\"retry-after\",\"clamp\":\"1s\"}]}"),
            )

        private const val STATUS = "{\"applies_when\":{\"response\":{\"http_status_code\":500}}}"
        private const val RULES = "\"max_attempts\":3,\"delay\":{\"type\":\"exponential\",\"base\":1,\"growth_factor\":2}"
        private const val DEFAULT = "\"retry\":{\"__default__\":{$RULES,\"policies\":{"

        val MODELS =
            listOf(
                Shape("policies", "{$DEFAULT", { "\"p$it\":$STATUS," }, "\"p\":$STATUS}}}}"),
                Shape("references to one", "{\"definitions\":{\"d\":$STATUS},$DEFAULT", { "\"p$it\":{$REF:\"d\"}," }, "\"p\":$STATUS}}}}"),
                Shape("references to one that is long", "{\"definitions\":{\"d\":{\"a\":\"${"x".repeat(5_000)}\"}},$DEFAULT", { "\"p$it\":{$REF:\"d\"}," }, "\"p\":$STATUS}}}}"),
                Shape("a chain of references", "{\"definitions\":{", { "\"d$it\":{$REF:\"d${it + 1}\"}," }, "\"d\":{}},$DEFAULT\"p\":{$REF:\"d0\"}}}}}"),
                Shape("references that double", "{\"definitions\":{", { "\"d$it\":{\"a\":{$REF:\"d${it + 1}\"},\"b\":{$REF:\"d${it + 1}\"}}," }, "\"d\":{}},$DEFAULT\"p\":{$REF:\"d0\"}}}}}"),
                Shape("services", "{$DEFAULT}}", { ",\"s$it\":{\"__default__\":{}}" }, "}}"),
                Shape("operations", "{$DEFAULT}},\"s\":{\"a\":{\"policies\":{}}", { ",\"o$it\":{\"policies\":{}}" }, "}}}"),
                Shape("policies and services", "{$DEFAULT" + (1..300).joinToString(",") { "\"p$it\":$STATUS" } + "}}", { ",\"s$it\":{\"__default__\":{}}" }, "}}"),
                Shape("socket errors", "{$DEFAULT\"p\":{\"applies_when\":{\"socket_errors\":[", { "\"GENERAL_CONNECTION_ERROR\"," }, "\"GENERAL_CONNECTION_ERROR\"]}}}}}}"),
            )

        val PROFILES =
            listOf(
                Shape("continued lines", " x\n", "[default]\nkey = 1\n"),
                Shape("a continued attempt", " 5\n", "[default]\nmax_attempts = 1\n"),
                Shape("comments that are none", " #", "[default]\nk = "),
                Shape("hashes", "#", "[default]\nk = "),
                Shape("blanks before a comment", " ", "[default]\nk = ", "#"),
                Shape("profiles", "", { "[profile p$it]\nk=$it\n" }, ""),
                Shape("one profile", "[profile p]\nk=1\n"),
                Shape("keys", "[default]\n", { "k$it=1\n" }, ""),
                Shape("colliding keys", "[default]\n", { "${collision(it)}=1\n" }, ""),
                Shape("one key", "k=1\n", "[default]\n"),
                Shape("a header of blanks", " ", "[", "]"),
                Shape("a header of quotes", "\"", "[profile \"", "]"),
                Shape("a long name", "a", "[profile ", "]"),
                Shape("a line without end", "k", "[default]\n"),
                Shape("a long number", "9", "[default]\nmax_attempts = "),
                Shape("a long mode", "x", "[default]\nretry_mode = "),
                Shape("empty headers", "[]\n"),
            )

        val VALUES =
            listOf(
                Shape("digits", "9"),
                Shape("digits after a sign", "9", "-"),
                Shape("digits and a blank", "9", tail = " "),
                Shape("blanks and a digit", " ", tail = "7"),
                Shape("a date and more", "9", "Sun, 06 Nov 1994 08:49:37 GMT"),
                Shape("dates", "Sun, 06 Nov 1994 08:49:37 GMT "),
                Shape("blanks before a date", " ", tail = "Sun, 06 Nov 1994 08:49:37 GMT"),
            )

        /** Names of one hash code: `Aa` and `BB` have the same, and so has any sequence of them. */
        private fun collision(i: Int) = (0 until 16).joinToString("") { if (i shr it and 1 == 0) "Aa" else "BB" }
    }
}
