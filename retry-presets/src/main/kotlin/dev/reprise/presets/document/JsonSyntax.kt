package dev.reprise.presets.document

import kotlinx.serialization.SerializationException
import kotlinx.serialization.builtins.serializer
import kotlinx.serialization.json.Json

/**
 * Checks [text] before the parser, from front to back and without recursion, for errors that the parser accepts. These
 * are an object with two members of one name, of which it takes the last; words and numbers that JSON does not have,
 * such as `03`; and nesting that overflows its stack. The parser reports all other errors.
 */
internal class JsonSyntax(private val text: String) {
    /** An object or array that is open. */
    private class Open(val names: HashSet<String>?) {
        var index = 0
        var name: String? = null
        val path get() = if (names == null) "[$index]" else name?.let { ".${step(it)}" }.orEmpty()
    }

    private val open = ArrayDeque<Open>()
    private var at = 0

    /** @throws PolicyFormatException with the path of the error */
    fun check() {
        while (at < text.length) {
            when (text[at]) {
                '{' -> opens(Open(HashSet()))
                '[' -> opens(Open(null))
                '}', ']' -> open.removeLastOrNull()
                ',' -> open.lastOrNull()?.let(::next)
                '"' -> string()
                ':', ' ', '\t', '\r', '\n' -> Unit
                else -> word()
            }
            at++
        }
    }

    private fun opens(container: Open) {
        open += container
        if (open.size > Shape.MAX_DEPTH) refuse(Shape.TOO_DEEP, text)
    }

    private fun next(container: Open) {
        container.index++
        container.name = null
    }

    /** Ends at the string's closing quotation mark. */
    private fun string() {
        val from = ++at
        while (at < text.length && text[at] != '"') if (text[at++] == '\\') at++
        val container = open.lastOrNull() ?: return
        if (container.names == null || container.name != null) return
        val name = decoded(text.substring(from, minOf(at, text.length)))
        container.name = name
        if (!container.names.add(name)) wrong("must stand in its object only once", "the second")
    }

    /** Two ways of writing one name are equal. */
    private fun decoded(name: String): String = try {
        if ('\\' in name) Json.decodeFromString(String.serializer(), "\"$name\"") else name
    } catch (_: SerializationException) {
        name
    }

    /** Ends at the last character of a number, `true`, `false` or `null`. */
    private fun word() {
        val from = at
        while (at + 1 < text.length && text[at + 1] !in ENDS) at++
        val word = text.substring(from, at + 1)
        if (WORD.matches(word)) return
        // Numbers are harmless; a word could be anything, if this is a file of another kind.
        val isNumber = word.length <= LONGEST_NUMBER && word.all { it in IN_NUMBERS }
        if (isNumber) wrong("must be a JSON value", word)
        wrong("must be a JSON value, names and texts in double quotation marks", "${word.length} characters")
    }

    private fun wrong(rule: String, value: String): Nothing =
        throw PolicyFormatException(open.joinToString("", "$") { it.path }, rule, value)
}

private const val IN_NUMBERS = "0123456789+-.eE"
private const val LONGEST_NUMBER = 40
private const val ENDS = ",:]}[{\" \t\r\n"
private val WORD =
    Regex("true|false|null|-?+(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+")
