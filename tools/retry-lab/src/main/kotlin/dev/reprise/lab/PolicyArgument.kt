package dev.reprise.lab

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

    private fun names() = Presets.all.joinToString { it.name }
}
