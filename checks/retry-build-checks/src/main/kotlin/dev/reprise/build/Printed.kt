package dev.reprise.build

import java.io.File

/** What the program [main] prints in a JVM of its own, which has the class path of this one and [flags]. */
fun printedBy(main: Class<*>, vararg flags: String): String {
    val java = File(System.getProperty("java.home"), "bin/java").path
    val path = System.getProperty("java.class.path")
    return ProcessBuilder(java, *flags, "-cp", path, main.name).start()
        .inputStream.use { it.readBytes().decodeToString().trim() }
}
