package dev.reprise.presets.document

/* The ways in which people and property files write one name, and suggestions for a misspelt one. */

/** The form in which two spellings of one word are equal: `PER_KIND` and `per-kind`, `maxAttempts` and `max-attempts`. */
internal fun canonical(word: String): String = word.filterNot { it == '-' || it == '_' }.lowercase()

/** The member that [name] means: `max-attempts` is `maxAttempts`. */
internal fun memberName(name: String): String {
    if ('-' !in name) return name
    val parts = name.split('-')
    return parts.first() + parts.drop(1).joinToString("") { it.replaceFirstChar(Char::uppercaseChar) }
}

/** The rule that a word must be one of [known]; it begins with a guess if [word] is nearly one of these. */
internal fun mustBeOneOf(word: String?, known: Collection<String>, list: String = known.joinToString()): String {
    val guess = word?.let { nearest(it, known) } ?: return "must be one of $list"
    return "did you mean \"$guess\"? must be one of $list"
}

/** The one of [known] that [word] differs from in a third of its letters at most. */
internal fun nearest(word: String, known: Collection<String>): String? {
    if (word.length > LONGEST_GUESSED) return null
    val plain = canonical(word)
    val (guess, distance) = known.map { it to distance(plain, canonical(it)) }.minByOrNull { it.second } ?: return null
    return guess.takeIf { distance <= guess.length / LETTERS_FOR_A_SLIP }
}

/** How many letters must be put in, left out or changed to make [b] of [a]: Levenshtein's distance, row by row. */
internal fun distance(a: String, b: String): Int {
    var row = IntArray(b.length + 1) { it }
    for (i in a.indices) {
        val next = IntArray(b.length + 1)
        next[0] = i + 1
        for (j in b.indices) {
            next[j + 1] = minOf(row[j] + if (a[i] == b[j]) 0 else 1, row[j + 1] + 1, next[j] + 1)
        }
        row = next
    }
    return row[b.length]
}

private const val LONGEST_GUESSED = 40
private const val LETTERS_FOR_A_SLIP = 3
