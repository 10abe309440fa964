package dev.reprise.core.shell.text

/**
 * Copies a line word by word and leaves out the secrets of URLs: passwords, queries, fragments and path parameters.
 *
 * It fails closed. A secret ends where the word ends, at a blank, even if it contains quotation marks and brackets:
 * they are legal in URLs or come unescaped in broken ones. Text that could be a password counts as one. Every character
 * is read twice at most, once to measure a word and once to copy it.
 */
internal class Redaction(
    private val text: String,
    private var at: Int,
    private val end: Int,
    private val line: LogLine,
) {
    fun run() {
        while (at < end && !line.isFull) {
            val word = UrlWord(text, at, end)
            copy(word)
            at = word.end
            if (at < end) line.append(text, at, ++at)
        }
    }

    private fun copy(word: UrlWord) {
        var copied = copyOpaque(word)
        var i = copied
        while (i < word.end && !line.isFull) {
            if (word.isAuthority(i)) {
                i += UrlWord.AUTHORITY.length
                line.append(text, copied, i)
                copied = word.hostAfter(i)
                if (copied < 0) return line.append(HIDDEN)
                i = copied
            } else if (word.hasSecretAfter(i)) {
                line.append(text, copied, i + 1)
                return line.append(HIDDEN)
            } else {
                i++
            }
        }
        line.append(text, copied, word.end)
    }

    /** Copies `name:` of `name:password@host` and returns where the rest begins. */
    private fun copyOpaque(word: UrlWord): Int {
        val secret = word.credentials ?: return word.start
        line.append(text, word.start, secret.first)
        line.append(HIDDEN)
        return secret.last + 1
    }
}

private const val HIDDEN = "..."
