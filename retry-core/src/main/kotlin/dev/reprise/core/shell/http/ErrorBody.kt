package dev.reprise.core.shell.http

/**
 * Searches a body for `"code": "…"` as JSON has it, then for `<Code>…</Code>` as XML has it; for the message likewise.
 *
 * It is not a parser, since most bodies are cut off in the middle. It is not a regular expression, which would
 * backtrack over the blanks of a hostile body. Text between two names is read at most twice: once from the name before
 * it, once in the search for the name after it.
 */
internal class ErrorBody(private val bytes: ByteArray) {
    private val end = minOf(bytes.size, MOST)

    fun code(): String? = find(CODES)

    fun message(): String? = find(MESSAGES)

    private fun find(names: Names) = firstAt('"') { inJson(it, names) } ?: firstAt('<') { inXml(it, names) }

    /** The first result of [read] at a [mark], or `null`. */
    private inline fun firstAt(mark: Char, read: (at: Int) -> String?): String? {
        for (i in 0 until end) if (bytes[i] == mark.code.toByte()) read(i)?.let { return it }
        return null
    }

    /** The text after a name that stands [at] this quotation mark; `null` if it is another name, or the text is too long. */
    private fun inJson(at: Int, names: Names): String? {
        val name = names.json.find { startsWith(it, at) } ?: return null
        val colon = skipBlanks(at + name.size)
        if (!has(':', colon)) return null
        val quote = skipBlanks(colon + 1)
        if (!has('"', quote)) return null
        val last = minOf(end - 1, quote + 1 + names.longest)
        var i = quote + 1
        while (i <= last && !has('"', i)) {
            val isEscape = has('\\', i)
            if (isEscape && !names.mayEscape) return null
            i += if (isEscape) 2 else 1
        }
        return if (i <= last) text(quote + 1, i)?.let(::unescaped) else null
    }

    /** The [text] of a JSON string; `null` if it has an escape that JSON does not know. None ends in a backslash alone. */
    private fun unescaped(text: String): String? {
        var isKnown = true
        val plain = ESCAPE.replace(text) {
            val (hex, letter) = it.destructured
            val meant = if (hex.isEmpty()) MEANINGS.getOrNull(LETTERS.indexOf(letter)) else hex.toInt(16).toChar()
            if (meant == null) isKnown = false
            "$meant"
        }
        return plain.takeIf { isKnown }
    }

    /** The text of the element that begins [at] this bracket; `null` if it is another one, too long or empty. */
    private fun inXml(at: Int, names: Names): String? {
        if (!startsWith(names.opening, at)) return null
        val from = skipBlanks(at + names.opening.size)
        var to = from
        while (to < end && !has('<', to)) to++
        if (!startsWith(names.closing, to)) return null
        while (to > from && isBlank(bytes[to - 1])) to--
        return if (to - from in 1..names.longest) text(from, to) else null
    }

    private fun text(from: Int, to: Int): String? = if (from == to) null else bytes.decodeToString(from, to)

    private fun skipBlanks(from: Int): Int {
        var i = from
        while (i < end && isBlank(bytes[i])) i++
        return i
    }

    private fun has(char: Char, at: Int) = at < end && bytes[at] == char.code.toByte()

    private fun startsWith(name: ByteArray, at: Int): Boolean =
        at + name.size <= end && name.indices.all { bytes[at + it] == name[it] }

    /** The names to search for: in JSON, the element in XML, the most bytes of its text, and whether JSON escapes are read. */
    private class Names(json: List<String>, element: String, val longest: Int, val mayEscape: Boolean) {
        val json = json.map { "\"$it\"".encodeToByteArray() }
        val opening = "<$element>".encodeToByteArray()
        val closing = "</$element>".encodeToByteArray()
    }

    private companion object {
        /** An escape in JSON: the digits of a character's code, or its letter. */
        val ESCAPE = Regex("\\\\(?:u([0-9A-Fa-f]{4})|(.))", RegexOption.DOT_MATCHES_ALL)

        /** The characters that JSON escapes by one letter, and what they mean. */
        const val LETTERS = "\"\\/bfnrt"
        const val MEANINGS = "\"\\/\b\u000c\n\r\t"

        /** The longest is a code with its name space. */
        val CODES = Names(listOf("__type", "code", "Code"), "Code", longest = 256, mayEscape = false)

        /** Long enough for messages of services; a longer one is ignored. */
        val MESSAGES = Names(listOf("message", "Message", "errorMessage"), "Message", longest = 4096, mayEscape = true)

        /** How much of a body is looked at. */
        const val MOST = 64 * 1024

        fun isBlank(byte: Byte) = byte == ' '.code.toByte() || byte in '\t'.code.toByte()..'\r'.code.toByte()
    }
}
