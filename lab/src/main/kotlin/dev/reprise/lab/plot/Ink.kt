package dev.reprise.lab.plot

import org.jetbrains.letsPlot.themes.elementBlank
import org.jetbrains.letsPlot.themes.elementLine
import org.jetbrains.letsPlot.themes.elementText
import org.jetbrains.letsPlot.themes.theme

/** The colours of pictures, on a light page and on a dark one. */
internal object Ink {
    /** At least 3 : 1 against white, and told apart by those who see no red or no green (after Okabe and Ito). */
    val LIGHT: List<String> =
        listOf("#0072B2", "#D55E00", "#009E73", "#B5578F", "#A87400", "#333333", "#8A5A33", "#6F6F6F")

    private val DARK =
        listOf("#56A9E8", "#F0803C", "#2CC295", "#E39BC6", "#E8B23A", "#E6E6E6", "#C79A70", "#A0A0A0")

    /** For lines that stand behind the others: reads on light and dark. */
    const val MUTED: String = "#8C8C8C"

    /** The color of bounds, to compare other lines with. */
    const val BOUNDS: String = "#111111"
    private const val BOUNDS_ON_DARK = "#F2F2F2"

    private const val TEXT = "#404040"
    private const val TEXT_ON_DARK = "#D0D0D0"
    private const val STYLE_BEGIN = """<style type="text/css">"""

    /** What [light] is on a dark page. */
    fun onDark(light: String): String = when (light) {
        BOUNDS -> BOUNDS_ON_DARK
        MUTED -> MUTED
        else -> DARK[LIGHT.indexOf(light)]
    }

    /** No ground of its own, and a grid that does not shout. */
    fun theme(shape: LinePlot.Shape) = theme(
        plotBackground = elementBlank(),
        panelBackground = elementBlank(),
        legendBackground = elementBlank(),
        panelGrid = elementLine(color = "rgba(128,128,128,0.25)"),
        axisLine = elementLine(color = "#808080"),
        axisTicks = elementLine(color = "#808080"),
        text = elementText(color = TEXT),
        title = elementText(color = TEXT),
    ).let { if (shape.legend == "bottom") it.legendPositionBottom().legendDirectionVertical() else it }

    /** Adds to [svg] what it needs to follow the reader's choice, and to shrink with its page. */
    fun onScreens(svg: String, width: Int, height: Int): String {
        val strokes =
            (LIGHT.zip(DARK) + (BOUNDS to BOUNDS_ON_DARK)).joinToString(" ") { (light, dark) ->
                // The library writes a colour in two ways: lines one way, dots the other.
                listOf(rgb(light), light.lowercase()).joinToString(" ") {
                    """[stroke="$it"] { stroke: $dark; } [fill="$it"] { fill: $dark; }"""
                }
            }
        val dark = "@media (prefers-color-scheme: dark) { text { fill: $TEXT_ON_DARK !important; } " +
            """[fill="rgb(255,255,255)"] { fill: none; } [stroke="rgb(255,255,255)"] { stroke: none; } $strokes }"""
        return svg
            .replaceFirst("<svg ", """<svg viewBox="0 0 $width $height" """)
            .replaceFirst(STYLE_BEGIN, "$STYLE_BEGIN\n$dark")
    }

    /** `#0072B2` as the library writes it: `rgb(0,114,178)`. */
    private fun rgb(hex: String): String =
        hex.drop(1).chunked(2).joinToString(",", "rgb(", ")") { it.toInt(radix = 16).toString() }
}
