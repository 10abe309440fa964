package dev.reprise.presets.config

/**
 * A configuration file in the format of the AWS CLI and SDKs: sections `[default]` and `[profile NAME]` with lines
 * `key = value`.
 *
 * - Sections without `profile ` other than `[default]` are passed over, and so are names with characters that no profile
 *   may have; a name in double quotes may have any.
 * - A section that comes twice is one, and of a key that comes twice the last counts. Of `[default]` and
 *   `[profile default]` only the second counts, wherever it stands.
 * - `#` or `;` makes a comment at the beginning of a line, later only after white space or the bracket that ends a section.
 *   `[profile a#b]` has no comment; no profile may have that name.
 * - A line that begins with white space continues the property before it, to its end, so what is nested in another property
 *   is never mistaken for one of ours. Of a property without a value each must be `key = value`.
 * - The case of keys does not count.
 */
internal class ProfileFile private constructor(val profiles: Map<String, Map<String, Property>>) {
    /** A value, and the number of the line where it begins. */
    class Property(val value: String, val line: Int)

    /** The property [key] of [profile], or `null`; blank values count as absent. */
    fun property(profile: String, key: String): Property? =
        profiles[profile]?.get(key)?.takeIf { it.value.isNotEmpty() }

    /** Whether there is a section for [profile]. */
    fun has(profile: String): Boolean = profile in profiles

    companion object {
        /** The most bytes of a file, and characters of its text: ten thousand profiles of four hundred each. */
        const val LONGEST: Int = 4 * 1024 * 1024

        /** The rule in the message about a longer file. */
        const val TOO_LONG: String = "must not be longer than $LONGEST bytes"

        /**
         * Reads [text], which is the file at [path].
         *
         * @throws ConfigException if it is longer than [LONGEST], a section does not end, or a line is neither a section, a
         *   property nor a comment
         */
        fun parse(text: String, path: String): ProfileFile {
            if (text.length > LONGEST) throw ConfigException(shownFile(path), TOO_LONG, shownLength(text))
            val parser = ProfileParser(path)
            text.removePrefix("\uFEFF").lineSequence().forEachIndexed { i, line -> parser.line(i + 1, line) }
            return ProfileFile(parser.profiles())
        }
    }
}
