package dev.reprise.redis

import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption

/** Keeps figures that tests reach in `target/fleet-figures.txt`, for those who write the page about them. */
internal object Figures {
    fun note(vararg parts: Any) {
        Files.writeString(
            Files.createDirectories(Path.of("target")).resolve("fleet-figures.txt"),
            parts.joinToString(" ", postfix = "\n"),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND,
        )
    }
}
