package dev.reprise.core.config

import java.io.IOException
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.NoSuchFileException
import java.nio.file.NotDirectoryException
import java.nio.file.Path

/** The only file of the core that looks at the world outside: the process's properties, environment and files. */
internal object SystemConfigSources : ConfigSources {
    override fun property(name: String): String? = System.getProperty(name)

    override fun environment(name: String): String? = System.getenv(name)

    override fun home(): String? = System.getProperty("user.home")

    override fun file(path: String): String? = try {
        // Decoded by hand: bytes that are no UTF-8 become question marks, and not an exception.
        Files.readAllBytes(Path.of(path)).decodeToString()
    } catch (_: NoSuchFileException) {
        null
    } catch (_: NotDirectoryException) {
        null
    } catch (failure: IOException) {
        throw ConfigException("file $path", "must be readable", failure.toString())
    } catch (failure: InvalidPathException) {
        throw ConfigException("file $path", "must be a path", failure.toString())
    }

    override fun toString(): String = "system"
}
