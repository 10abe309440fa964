package dev.reprise.build

import java.nio.file.Path
import kotlin.io.path.readText

/** One line of a dump: a method or field of [owner], both named as in class files. */
class ApiMember(
    /** The class, such as `dev/reprise/core/Attempt$Companion`. */
    val owner: String,
    val name: String,
    /** As in class files: `(I)V`, or the type of a field. */
    val descriptor: String,
    /** Whether Java cannot see it. */
    val isSynthetic: Boolean,
    val isStatic: Boolean,
) {
    val isField: Boolean get() = !descriptor.startsWith("(")

    override fun toString(): String = "$owner.$name $descriptor"
}

/** One class of a dump. */
class ApiType(
    /** As in class files. */
    val name: String,
    val members: List<ApiMember>,
) {
    /** Whether it defines its own equality. */
    val isValue: Boolean get() = members.any { it.name == "equals" && it.descriptor == "(Ljava/lang/Object;)Z" }

    override fun toString(): String = name
}

/** The public types that the dump of a module lists. */
object PublicApi {
    private val TYPE = Regex("""^public .*\bclass (\S+).*\{$""")
    private val MEMBER = Regex("""^\t(.*)\b(?:fun|field) (\S+) (\S+)$""")

    /** The types in [file], in its order. */
    fun of(file: Path): List<ApiType> {
        val types = linkedMapOf<String, MutableList<ApiMember>>()
        for (line in file.readText().lines()) {
            TYPE.matchEntire(line)?.let { types[it.groupValues[1]] = mutableListOf() }
            val (modifiers, name, descriptor) = MEMBER.matchEntire(line)?.destructured ?: continue
            val words = modifiers.split(' ')
            val owner = types.keys.last()
            types.getValue(owner) += ApiMember(owner, name, descriptor, "synthetic" in words, "static" in words)
        }
        return types.map { (name, members) -> ApiType(name, members) }
    }
}
