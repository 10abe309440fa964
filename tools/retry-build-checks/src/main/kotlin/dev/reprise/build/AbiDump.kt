package dev.reprise.build

import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import java.nio.file.Path
import kotlin.io.path.createParentDirectories
import kotlin.io.path.deleteIfExists
import kotlin.io.path.exists
import kotlin.io.path.readText
import kotlin.io.path.writeText

/**
 * The public ABI of one module: what [classes] hold, and what the checked-in [file] says that they hold.
 *
 * Java classes count like Kotlin ones, and so does what is `@PublishedApi internal`.
 */
class AbiDump(
    private val classes: Path,
    private val file: Path,
) {
    /** What the compiled classes offer. */
    fun actual(): String =
        buildString {
            val files = classes.toFile().walk().filter { it.extension == "class" }
            AbiTools.getInstance().printJvmDump(this, files.toList(), AbiFilters.EMPTY)
        }

    /** What the file says; a module that offers nothing needs no file. */
    fun recorded(): String = if (file.exists()) file.readText() else ""

    /** Makes the file say what the classes offer. */
    fun record() {
        val text = actual()
        if (text.isEmpty()) file.deleteIfExists() else file.createParentDirectories().writeText(text)
    }
}
