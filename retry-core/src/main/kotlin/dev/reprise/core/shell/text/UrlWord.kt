package dev.reprise.core.shell.text

/** The characters of [text] from [start] up to the next blank or [limit], measured for the secrets of a URL in them. */
internal class UrlWord(private val text: String, val start: Int, limit: Int) {
    /** Where the word ends. */
    val end: Int

    /** Where a query or a fragment may begin, and the first authority; [end] if there is none. */
    private var firstMark = -1
    private var firstAuthority = -1
    private var firstSlash = -1

    /** The last `@` before [firstMark], the last `=`, and the last character that is more than punctuation; or -1. */
    private var lastAt = -1
    private var lastEquals = -1
    private var lastTelling = -1

    init {
        var i = start
        while (i < limit && text[i] != ' ' && text[i] != '\t') {
            val c = text[i]
            when (c) {
                '?', '#' -> if (firstMark < 0) firstMark = i
                '@' -> if (firstMark < 0) lastAt = i
                '=' -> lastEquals = i
                '/' -> slash(i)
            }
            if (c !in PUNCTUATION) lastTelling = i
            i++
        }
        end = i
        if (firstMark < 0) firstMark = end
        if (firstAuthority < 0) firstAuthority = end
        if (firstSlash < 0) firstSlash = end
    }

    private fun slash(i: Int) {
        if (firstSlash < 0) firstSlash = i
        if (firstAuthority < 0 && text.startsWith(AUTHORITY, i)) firstAuthority = i
    }

    /** The text between the first `:` and the last `@` before any authority: the password of `name:password@host`. */
    val credentials: IntRange?
        get() {
            val limit = minOf(firstAuthority, firstMark)
            var at = minOf(lastAt, limit - 1)
            while (at > start && text[at] != '@') at--
            val colon = find(':', start, at - 1)
            return if (colon < 0) null else colon + 1 until at
        }

    fun isAuthority(i: Int): Boolean = i + AUTHORITY.length < end && text.startsWith(AUTHORITY, i)

    /**
     * Where the host begins in the authority [from] here on, behind names and passwords. Returns -1 if that text looks
     * less like hosts and ports than like a password with a delimiter in it.
     */
    fun hostAfter(from: Int): Int {
        var host = from
        var slash = from
        while (slash < end && text[slash] !in AUTHORITY_ENDS) if (text[slash++] == '@') host = slash
        val isPlain = find(':', host, slash) < 0 || (lastAt < slash && areHosts(host, slash))
        return if (isPlain) host else -1
    }

    /** Whether `host:port` stands there, or several with commas between them, and punctuation at most behind it. */
    private fun areHosts(from: Int, to: Int): Boolean {
        var i = from
        while (i < to) {
            if (text[i] == '[') i = find(']', i, to).also { if (it < 0) return false }
            if (text[i++] != ':') continue
            while (i < to && text[i] in '0'..'9') i++
            if (i < to && text[i] != ',') return (i until to).all { text[it] in PUNCTUATION }
        }
        return true
    }

    /** Where [c] is from [from] until [to], or -1; a search without an end would read the whole line for each word. */
    private fun find(c: Char, from: Int, to: Int): Int {
        for (i in from until to) if (text[i] == c) return i
        return -1
    }

    /** Whether the mark [at] this place begins something that is not to be seen. */
    fun hasSecretAfter(at: Int): Boolean = lastTelling > at && when (text[at]) {
        '?' -> true
        '#' -> firstSlash < at || lastEquals > at
        ';' -> firstAuthority < at
        else -> false
    }

    companion object {
        /** The marker before names, passwords, hosts and ports. */
        const val AUTHORITY: String = "//"
        private const val AUTHORITY_ENDS = "/?#"

        /** Characters that may follow a URL or a question mark in running text. */
        private const val PUNCTUATION = ")]}>'\"`,.;:!?"
    }
}
