package dev.reprise.presets.config

import dev.reprise.presets.config.ProfileFile.Property

/** Reads a [ProfileFile], line after line, in time that grows with the text and no faster. */
internal class ProfileParser(private val path: String) {
    private val sections = HashMap<String, MutableMap<String, Property>>()
    private var section: MutableMap<String, Property>? = null
    private var isInside = false
    private var key: String? = null
    private var keyLine = 0
    private val value = StringBuilder()

    fun line(number: Int, line: String) {
        val text = withoutComment(line)
        when {
            text.isBlank() -> return
            text[0].isWhitespace() -> continues(number, text)
            text.startsWith('[') -> begins(number, text.trim())
            else -> defines(number, text)
        }
    }

    fun profiles(): Map<String, Map<String, Property>> {
        endProperty()
        val prefixed = sections.filterKeys { it.startsWith(PREFIX) }.mapKeys { it.key.removePrefix(PREFIX) }
        return sections.filterKeys { it == DEFAULT } + prefixed
    }

    private fun begins(number: Int, header: String) {
        endProperty()
        if (!header.endsWith(']')) fail(number, "a section must end with ]", header)
        isInside = true
        section =
            sectionName(header.substring(1, header.length - 1).trim())?.let { sections.getOrPut(it) { HashMap() } }
    }

    /** `default`, or `profile ` and the name; `null` for a section that is not ours. */
    private fun sectionName(text: String): String? {
        if (text == DEFAULT) return text
        val rest = text.removePrefix("profile")
        if (rest.length == text.length || rest.isEmpty() || !rest[0].isWhitespace()) return null
        val name = rest.trim()
        val isQuoted = name.length > 2 && name.startsWith('"') && name.endsWith('"')
        val plain = if (isQuoted) name.substring(1, name.length - 1) else name
        return if (isQuoted || NAME.matches(plain)) PREFIX + plain else null
    }

    private fun defines(number: Int, text: String) {
        endProperty()
        if (!isInside) fail(number, "a property must stand in a section", text)
        val equals = text.indexOf('=')
        if (section == null) return
        if (equals < 1) fail(number, "must be a section, a comment or key = value", text)
        key = text.substring(0, equals).trim().lowercase()
        keyLine = number
        value.append(text.substring(equals + 1).trim())
    }

    private fun continues(number: Int, text: String) {
        if (section == null && isInside) return
        val isStray = key == null
        val added = text.trim()
        if (isStray) fail(number, "must not begin with white space: there is no property to continue", added)
        val isNested = value.isEmpty() || value.startsWith('\n')
        if (isNested && added.indexOf('=') < 1) fail(number, "must be key = value in a property without a value", added)
        value.append('\n').append(added)
    }

    private fun endProperty() {
        val name = key ?: return
        section!![name] = Property(value.toString(), keyLine)
        key = null
        value.clear()
    }

    /** Refuses the line without showing it: a file of profiles may hold keys, and a broken line is where one is lost. */
    private fun fail(number: Int, rule: String, line: String): Nothing =
        throw ConfigException(shownFile(path, number), rule, shownLength(line))
}

private const val DEFAULT = "default"
private const val PREFIX = "profile "
private val NAME = Regex("[A-Za-z0-9_\\-/.%@:+]++")

/** [line] without its comment; on a line that continues another only all of it can be one. */
private fun withoutComment(line: String): String {
    val start = line.trimStart()
    if (start.startsWith('#') || start.startsWith(';')) return ""
    if (start.length < line.length) return line
    val isSection = line.startsWith('[')
    for (i in 1 until line.length) {
        val isBehind = line[i - 1].isWhitespace() || (isSection && line[i - 1] == ']')
        if (isBehind && (line[i] == '#' || line[i] == ';')) return line.substring(0, i)
    }
    return line
}
