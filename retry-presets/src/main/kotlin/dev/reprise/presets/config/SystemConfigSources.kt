package dev.reprise.presets.config

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.NoSuchFileException
import java.nio.file.NotDirectoryException
import java.nio.file.Path
import java.nio.file.Paths
import java.nio.file.attribute.BasicFileAttributes

/** The only file of the core that looks at the world outside: the process's properties, environment and files. */
internal object SystemConfigSources : ConfigSources {
    override fun property(name: String): String? = System.getProperty(name)

    override fun environment(name: String): String? = System.getenv(name)

    /** Where the CLI and the SDKs look too, in their order: `user.home` is another place in some containers, and under sudo. */
    override fun home(): String? = homeOf(::environment, ::property)

    internal fun homeOf(environment: (String) -> String?, property: (String) -> String?): String? {
        environment("HOME")?.let { return it }
        val isWindows = property("os.name").orEmpty().startsWith("windows", ignoreCase = true)
        val ofWindows = if (isWindows) environment("USERPROFILE") ?: driveAndPath(environment) else null
        return ofWindows ?: property("user.home")
    }

    private fun driveAndPath(environment: (String) -> String?) =
        environment("HOMEDRIVE")?.let { it + environment("HOMEPATH").orEmpty() }

    override fun file(path: String): String? = try {
        if (path in NULL_DEVICES) "" else read(Paths.get(path), path)
    } catch (_: NoSuchFileException) {
        null
    } catch (_: NotDirectoryException) {
        null
    } catch (failure: IOException) {
        throw ConfigException(shownFile(path), "must be readable", failure.toString())
    } catch (failure: InvalidPathException) {
        throw ConfigException(shownFile(path), "must be a path", failure.reason)
    }

    private fun read(file: Path, path: String): String {
        // Opening a pipe waits until it has a writer; reading a device may never end.
        val attributes = Files.readAttributes(file, BasicFileAttributes::class.java)
        if (!attributes.isRegularFile) {
            throw ConfigException(shownFile(path), "must be a regular file", kindOf(attributes))
        }
        // One byte more than there may be: sizes lie about files that grow or are made up as they are read.
        val bytes = Files.newInputStream(file).use { readAtMost(ProfileFile.LONGEST + 1, it) }
        if (bytes.size > ProfileFile.LONGEST) {
            throw ConfigException(shownFile(path), ProfileFile.TOO_LONG, "more")
        }
        // Decoded by hand: bytes that are no UTF-8 become question marks, and not an exception.
        return bytes.decodeToString()
    }

    /** As `InputStream.readNBytes`, which Android's lacks. */
    private fun readAtMost(most: Int, input: InputStream): ByteArray {
        val bytes = ByteArrayOutputStream()
        val part = ByteArray(DEFAULT_BUFFER_SIZE)
        while (bytes.size() < most) {
            val size = input.read(part, 0, minOf(part.size, most - bytes.size()))
            if (size < 0) break
            bytes.write(part, 0, size)
        }
        return bytes.toByteArray()
    }

    private fun kindOf(attributes: BasicFileAttributes) =
        if (attributes.isDirectory) "a directory" else "a pipe or device"

    override fun toString(): String = "system"

    /** `AWS_CONFIG_FILE=/dev/null` is how AWS users say that there shall be no file. */
    private val NULL_DEVICES = setOf("/dev/null", "NUL")
}
