package dev.reprise.lab.report

import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.plot.Picture
import kotlinx.serialization.json.JsonArray
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.moveTo
import kotlin.io.path.name
import kotlin.io.path.writeText

/** The page of several [experiments] in its [folder]: at every moment a whole page, which names its missing parts. */
internal class PageFile(
    folder: Path,
    private val command: String,
    private val experiments: List<String>,
    private val policies: Map<String, String>,
) {
    val file: Path = folder.resolve(PAGE)

    /** Writes what is [done]: the page, and its figures for `compare`. */
    fun write(done: List<Experiment.Outcome>) {
        val missing = experiments - done.map { it.name }.toSet()
        val page = HtmlPage(done.map { it.section }, policies, command, missing).html()
        replace(file, page)
        replace(file.resolveSibling(RunFile.IN_FOLDER), JsonArray(done.map { it.json }).toString())
    }

    private fun replace(file: Path, text: String) = Picture.writing(file) {
        val written = file.resolveSibling("${file.name}.part")
        written.writeText(text)
        written.moveTo(file, ATOMIC_MOVE)
    }

    companion object {
        private const val PAGE = "index.html"

        /** The folder for a new report: [wanted], unless it holds one that must not be [overwritten]. */
        fun folder(wanted: Path, overwritten: Boolean): Path {
            val held = held(wanted)
            if (held == null || overwritten) return wanted
            throw BadInput("$held exists: name another folder with --out, or give --overwrite")
        }

        private fun held(folder: Path) = listOf(PAGE, RunFile.IN_FOLDER).map(folder::resolve).find { it.exists() }
    }
}
