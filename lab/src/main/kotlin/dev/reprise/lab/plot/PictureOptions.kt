package dev.reprise.lab.plot

import com.github.ajalt.clikt.parameters.groups.OptionGroup
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.path
import java.nio.file.Path

/** Whether to draw an experiment, and in which format. */
internal class PictureOptions : OptionGroup() {
    private val folder by option("--plots", help = "draw the plots into this folder").path()
    private val format by option("--format", help = "the format of the pictures").choice("svg", "png").default("svg")

    /** Draws [plot] if that is asked for, by default into [otherwise]; returns the file. */
    fun write(plot: LinePlot, otherwise: Path? = null): Path? {
        val into = folder ?: otherwise ?: return null
        return into.resolve("${plot.name}.$format").also { Picture.write(plot, it) }
    }
}
