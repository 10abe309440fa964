package dev.reprise.lab.arguments

import com.github.ajalt.clikt.core.UsageError
import dev.reprise.core.RetryPolicy
import dev.reprise.core.document.PolicyFormatException
import dev.reprise.core.json.PolicyJson
import dev.reprise.core.preset.Presets
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.readText

/** A policy on the command line: a preset's name, `name/service`, a policy document, or a file with one. */
internal object PolicyArgument {
    /** The policy that [text] names; what is wrong is said in one line. */
    fun read(text: String): RetryPolicy = try {
        when {
            text.trimStart().startsWith("{") -> PolicyJson.read(text)

            Presets.find(text.substringBefore('/')) != null ->
                Presets.named(text.substringBefore('/'), text.substringAfter('/', "").ifEmpty { null })

            Path(text).exists() -> PolicyJson.read(Path(text).readText())

            else -> throw UsageError("no preset, no file and no policy document: $text (presets: ${names()})")
        }
    } catch (failure: PolicyFormatException) {
        throw UsageError("policy: ${failure.message}")
    }

    /** The policy that `LABEL=POLICY` names, by its label; one without a label is called what it is. */
    fun labelled(text: String): Pair<String, RetryPolicy> {
        val label = text.substringBefore('=', "")
        return if (label.isEmpty() || '{' in label) text to read(text) else label to read(text.substringAfter('='))
    }

    private fun names() = Presets.all.joinToString { it.name }
}
