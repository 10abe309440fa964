package dev.reprise.lab.report

/** The version of the library that runs here, from the jar's manifest. */
internal object Version {
    val TEXT: String = Version::class.java.`package`.implementationVersion ?: "from sources"
}
