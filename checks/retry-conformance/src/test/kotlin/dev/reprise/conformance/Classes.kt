package dev.reprise.conformance

import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.streams.asSequence

/** All classes that were compiled together with [member]: those of its folder or of its jar. */
internal fun classesOf(member: Class<*>): List<Class<*>> {
    val source = Path.of(member.protectionDomain.codeSource.location.toURI())
    if (Files.isDirectory(source)) return classesIn(source, member)
    return FileSystems.newFileSystem(source).use { classesIn(it.getPath("/"), member) }
}

private fun classesIn(root: Path, member: Class<*>): List<Class<*>> = Files.walk(root).use { paths ->
    paths.asSequence()
        .filter { it.extension == "class" && "$it".contains("reprise") }
        .map { root.relativize(it).toString().removeSuffix(".class").replace('/', '.').replace('\\', '.') }
        .mapNotNull { loaded(it, member) }
        .toList()
}

/** The class [name]; `null` if it extends one of an optional library that is not here. */
private fun loaded(name: String, member: Class<*>): Class<*>? = try {
    Class.forName(name, false, member.classLoader)
} catch (_: NoClassDefFoundError) {
    null
}
