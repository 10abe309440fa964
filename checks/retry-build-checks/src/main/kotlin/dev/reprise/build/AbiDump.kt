package dev.reprise.build

import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.createTempDirectory
import kotlin.io.path.deleteIfExists
import kotlin.io.path.exists
import kotlin.io.path.readText
import kotlin.io.path.writeText

/**
 * The public ABI of one module: that of its [classes], and that in the checked-in [file].
 *
 * Java classes count like Kotlin ones, and so do `@PublishedApi internal` declarations.
 */
class AbiDump(private val classes: Path, private val file: Path) {
    private val tools = AbiTools.getInstance()

    /** The ABI of the compiled classes. */
    fun actual(): String = buildString {
        // A package of that name is not exported, and so no one else's.
        val files = classes.toFile().walk().onEnter { it.name != "internal" }.filter { it.extension == "class" }
        tools.printJvmDump(this, files.toList(), AbiFilters.EMPTY)
    }

    /** The ABI in the file; a module without public API needs no file. */
    fun recorded(): String = if (file.exists()) file.readText() else ""

    /** Makes the file say what the classes offer. */
    fun record() {
        val text = actual()
        if (text.isEmpty()) {
            file.deleteIfExists()
        } else {
            file.toAbsolutePath().parent.createDirectories()
            file.writeText(text)
        }
    }

    /** The missing and the superfluous lines of the file, as a diff; null when it is up to date. */
    fun changes(): String? {
        val folder = createTempDirectory("abi")
        try {
            val before = folder.resolve("recorded.api").also { it.writeText(recorded()) }
            val after = folder.resolve("actual.api").also { it.writeText(actual()) }
            return tools.filesDiff(before.toFile(), after.toFile())
        } finally {
            folder.toFile().deleteRecursively()
        }
    }
}
