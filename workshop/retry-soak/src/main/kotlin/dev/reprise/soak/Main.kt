package dev.reprise.soak

import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.minutes

/** Soaks every face for as many minutes as the argument says, prints what it found, and ends with 1 if that is not sound. */
public fun main(arguments: Array<String>) {
    val minutes = arguments.singleOrNull()?.toDoubleOrNull()?.takeIf { it > 0 }
    if (minutes == null) {
        System.err.println("how many minutes? mvn -pl :retry-soak -am process-classes -Dsoak=10")
        exitProcess(2)
    }
    val verdict = Soak().run(minutes.minutes)
    println(verdict)
    exitProcess(if (verdict.isSound) 0 else 1)
}
