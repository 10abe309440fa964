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
 * The public ABI of one module: what [classes] hold, and what the checked-in [file] says that they hold.
 *
 * Java classes count like Kotlin ones, and so does what is `@PublishedApi internal`.
 */
class AbiDump(private val classes: Path, private val file: Path) {
    private val tools = AbiTools.getInstance()

    /** What the compiled classes offer. */
    fun actual(): String = buildString {
        // A package of that name is not exported, and so no one else's.
        val files = classes.toFile().walk().onEnter { it.name != "internal" }.filter { it.extension == "class" }
        tools.printJvmDump(this, files.toList(), AbiFilters.EMPTY)
    }

    /** What the file says; a module that offers nothing needs no file. */
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

    /** The lines that the file lacks and those that it has too many, as a diff; null when it is up to date. */
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
