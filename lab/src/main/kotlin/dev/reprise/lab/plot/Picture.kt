package dev.reprise.lab.plot

import com.github.ajalt.clikt.parameters.groups.OptionGroup
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.lab.input.BadInput
import org.apache.batik.transcoder.SVGAbstractTranscoder
import org.apache.batik.transcoder.TranscoderInput
import org.apache.batik.transcoder.TranscoderOutput
import org.apache.batik.transcoder.image.ImageTranscoder
import org.apache.batik.transcoder.image.PNGTranscoder
import java.awt.Color
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.StringReader
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.extension
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText

/** A plot as a file: SVG, or PNG with twice as many pixels on white. */
internal object Picture {
    private const val SCALE = 2f

    /** Draws [plot] in the format of [file]'s ending. */
    fun write(plot: LinePlot, file: Path) = writing(file) {
        when (file.extension) {
            "svg" -> file.writeText(plot.svg())
            "png" -> file.writeBytes(png(plot))
            else -> throw BadInput("a picture's name must end in .svg or .png: $file")
        }
    }

    /** Makes [file]'s folder and runs [write]; reports an error in one line. */
    fun writing(file: Path, write: () -> Unit) = try {
        file.toAbsolutePath().parent?.createDirectories()
        write()
    } catch (failure: IOException) {
        val reason = failure.javaClass.simpleName.removeSuffix("Exception").replace(Regex("(?<=[a-z])[A-Z]"), " $0")
        throw BadInput("cannot write $file: ${reason.lowercase()}: ${failure.message}")
    }

    private fun png(plot: LinePlot): ByteArray {
        val transcoder = PNGTranscoder()
        transcoder.addTranscodingHint(ImageTranscoder.KEY_BACKGROUND_COLOR, Color.WHITE)
        transcoder.addTranscodingHint(SVGAbstractTranscoder.KEY_WIDTH, LinePlot.Shape.WIDE.width * SCALE)
        transcoder.addTranscodingHint(SVGAbstractTranscoder.KEY_HEIGHT, LinePlot.Shape.WIDE.height * SCALE)
        val bytes = ByteArrayOutputStream()
        transcoder.transcode(TranscoderInput(StringReader(plot.svg(isForScreens = false))), TranscoderOutput(bytes))
        return bytes.toByteArray()
    }
}

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
