package dev.reprise.lab.input

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import java.io.IOException
import java.nio.file.InvalidPathException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.io.path.readText

/** A policy on the command line: a preset's name, `name/service`, a policy document, or a file with one. */
internal object PolicyArgument {
    const val HELP: String = "a preset, a policy document or a file with one; LABEL=POLICY names it in the output"
    private const val LONGEST_LABEL = 40

    /** The policy that [text] names; an error is reported in one line. */
    fun read(text: String): RetryPolicy = when {
        isDocument(text) -> inNameOf("policy") { PolicyJson.read(text) }

        Presets.find(text.substringBefore('/')) != null -> inNameOf(text) {
            Presets.named(text.substringBefore('/'), text.substringAfter('/', "").ifEmpty { null })
        }

        else -> readFile(text)
    }

    /** The policies in [texts] by their labels, each `LABEL=POLICY`; without a label the text itself is the label. */
    fun labelled(texts: List<String>): Map<String, String> {
        val named = texts.map { text ->
            labelOf(text)?.let { it to text.substringAfter('=') } ?: (shortened(text) to text)
        }
        val twice = named.groupBy { it.first }.values.firstOrNull { it.size > 1 } ?: return named.toMap()
        throw BadInput("two policies are called ${twice.first().first}: name them apart with LABEL=POLICY")
    }

    private fun labelOf(text: String): String? =
        text.substringBefore('=', "").takeUnless { it.isBlank() || '{' in it || pathOf(text)?.isRegularFile() == true }

    private fun shortened(text: String) =
        if (isDocument(text) && text.length > LONGEST_LABEL) text.take(LONGEST_LABEL - 1) + "…" else text

    private fun isDocument(text: String) = text.trimStart().startsWith("{")

    private fun readFile(text: String): RetryPolicy {
        val path = pathOf(text)
        val names = Presets.all.joinToString { it.name }
        return when {
            text.isBlank() -> throw BadInput("a policy must not be empty")

            path?.isDirectory() == true -> throw BadInput("$text: is a folder, and no policy document")

            path?.isRegularFile() != true ->
                throw BadInput("no preset, no file and no policy document: $text (presets: $names)")

            else -> inNameOf(text) { PolicyJson.read(path.readText()) }
        }
    }

    private fun pathOf(text: String): Path? = try {
        Path(text)
    } catch (_: InvalidPathException) {
        null
    }

    /** Adds the name of [source] to its errors. */
    private fun inNameOf(source: String, read: () -> RetryPolicy): RetryPolicy = try {
        read()
    } catch (failure: IllegalArgumentException) {
        throw BadInput("$source: ${failure.message}")
    } catch (failure: IOException) {
        throw BadInput("$source: cannot be read: ${failure.message}")
    }
}
