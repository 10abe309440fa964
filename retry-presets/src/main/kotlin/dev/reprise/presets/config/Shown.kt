package dev.reprise.presets.config

/*
 * The parts of outside text that messages may show. Retry settings are harmless, but a secret may stand in their place:
 * a line of keys that was indented by mistake continues the retry setting before it.
 */

/** No retry mode and no number has more characters. */
private const val LONGEST_VALUE = 20

private const val LONGEST_PATH = 100

/** The value [text] of a retry setting: itself if it is short and one line, else only its length. */
internal fun shownValue(text: String): String =
    if (text.length <= LONGEST_VALUE && text.none { it.isISOControl() }) text else shownLength(text)

/** The length alone, for text that may be secret. */
internal fun shownLength(text: String): String = "not shown (${text.length} characters)"

/** The file at [path], and in it the [line] if that is known; of a long path the end, which tells files apart. */
internal fun shownFile(path: String, line: Int? = null): String {
    val name = if (path.length <= LONGEST_PATH) path else "..." + path.takeLast(LONGEST_PATH)
    return "file $name" + if (line == null) "" else " line $line"
}
