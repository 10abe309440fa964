package dev.reprise.lab.arguments

import com.github.ajalt.clikt.core.UsageError
import dev.reprise.core.RetryPolicy
import dev.reprise.core.json.PolicyJson
import dev.reprise.core.preset.Presets
import java.io.IOException
import java.nio.file.InvalidPathException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.io.path.readText

/** A policy on the command line: a preset's name, `name/service`, a policy document, or a file with one. */
internal object PolicyArgument {
    /** What there is to say about an argument that takes several of them. */
    const val HELP: String =
        "a preset, a policy document or a file with one; LABEL=POLICY names it in the output"
    private const val LONGEST_LABEL = 40

    /** The policy that [text] names; what is wrong is said in one line. */
    fun read(text: String): RetryPolicy = when {
        text.trimStart().startsWith("{") -> inNameOf("policy") { PolicyJson.read(text) }

        Presets.find(text.substringBefore('/')) != null -> inNameOf(text) {
            Presets.named(text.substringBefore('/'), text.substringAfter('/', "").ifEmpty { null })
        }

        else -> readFile(text)
    }

    /** What [texts] name by their labels, each `LABEL=POLICY`; one without a label is called what it is. */
    fun labelled(texts: List<String>): Map<String, String> {
        val named = texts.map { text ->
            labelOf(text)?.let { it to text.substringAfter('=') }
                ?: (shortened(text) to text)
        }
        val twice = named.groupBy { it.first }.values.firstOrNull { it.size > 1 } ?: return named.toMap()
        throw UsageError("two policies are called ${twice.first().first}: name them apart with LABEL=POLICY")
    }

    private fun labelOf(text: String): String? =
        text.substringBefore('=', "").takeUnless { it.isBlank() || '{' in it || pathOf(text)?.isRegularFile() == true }

    private fun shortened(text: String) = if (text.length <= LONGEST_LABEL) text else text.take(LONGEST_LABEL - 1) + "…"

    private fun readFile(text: String): RetryPolicy {
        val path = pathOf(text)
        return when {
            path?.isDirectory() == true -> throw UsageError("$text: is a folder, and no policy document")

            path?.isRegularFile() != true ->
                throw UsageError("no preset, no file and no policy document: $text (presets: ${names()})")

            else -> inNameOf(text) { PolicyJson.read(path.readText()) }
        }
    }

    private fun pathOf(text: String): Path? = try {
        Path(text)
    } catch (_: InvalidPathException) {
        null
    }

    /** What goes wrong with [source] is told with its name. */
    private fun inNameOf(source: String, read: () -> RetryPolicy): RetryPolicy = try {
        read()
    } catch (failure: IllegalArgumentException) {
        throw UsageError("$source: ${failure.message}")
    } catch (failure: IOException) {
        throw UsageError("$source: cannot be read: ${failure.message}")
    }

    private fun names() = Presets.all.joinToString { it.name }
}
