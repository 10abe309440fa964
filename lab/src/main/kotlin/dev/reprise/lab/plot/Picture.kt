package dev.reprise.lab.plot

import dev.reprise.lab.input.BadInput
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

/** A plot as a file: SVG. */
internal object Picture {
    /** Draws [plot] into [folder], under its name; returns the file. */
    fun write(plot: LinePlot, folder: Path): Path =
        folder.resolve("${plot.name}.svg").also { writing(it) { it.writeText(plot.svg()) } }

    /** Makes [file]'s folder and runs [write]; reports an error in one line. */
    fun writing(file: Path, write: () -> Unit) = try {
        file.toAbsolutePath().parent?.createDirectories()
        write()
    } catch (failure: IOException) {
        val reason = failure.javaClass.simpleName.removeSuffix("Exception").replace(Regex("(?<=[a-z])[A-Z]"), " $0")
        throw BadInput("cannot write $file: ${reason.lowercase()}: ${failure.message}")
    }
}
