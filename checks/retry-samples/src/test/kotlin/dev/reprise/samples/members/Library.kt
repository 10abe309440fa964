package dev.reprise.samples.members

import dev.reprise.build.ApiMember
import dev.reprise.build.ApiType
import org.objectweb.asm.ClassReader
import org.objectweb.asm.Opcodes
import org.objectweb.asm.Type
import org.objectweb.asm.tree.AnnotationNode
import org.objectweb.asm.tree.ClassNode

private const val MARK = "Ldev/reprise/core/shell/ShellApi;"
private val NAMED = Regex("L(dev/reprise/[^;<]*)")

/** What the compiled classes of the library say of themselves and a dump does not. */
class Library {
    private val classes = mutableMapOf<String, Facts>()

    /** Whether it is for those alone who write a shell. */
    fun isForShells(type: ApiType): Boolean {
        val outer = type.name.substringBefore('$')
        return factsOf(outer).isMarked || factsOf(type.name).isMarked
    }

    /** Whether it is for those alone who write a shell. */
    fun isForShells(member: ApiMember): Boolean {
        val plain = Use.plain(member.owner)
        return listOf(plain, "$plain\$Companion", member.owner).any { it in this && factsOf(it).marks(member) }
    }

    /** The library's types that it names, those of its type arguments too. */
    fun typesOf(member: ApiMember): Set<String> {
        val signature = factsOf(member.owner).signatures[member.name + member.descriptor].orEmpty()
        return NAMED.findAll(member.descriptor + signature).map { it.groupValues[1] }.toSet()
    }

    /** Whether any user can name [type]: it is public, and so are those around it, and needs no opt-in. */
    fun isForAll(type: String): Boolean = type !in this || generateSequence(type) { it.substringBeforeLast('$', "") }
        .takeWhile { it.isNotEmpty() }
        .all { factsOf(it).isPublic && !factsOf(it).isMarked }

    /** Whether compilers copy its value, so that class files do not tell who reads it. */
    fun isConstant(member: ApiMember): Boolean = member.name in factsOf(Use.plain(member.owner)).constants

    /** Whether it is declared higher up already: who calls it there calls it here. */
    fun isInherited(member: ApiMember): Boolean {
        if (member.isField || member.name == "<init>") return false
        val type = Class.forName(member.owner.replace('/', '.'), false, javaClass.classLoader)
        val arguments = member.descriptor.substringBeforeLast(')')
        return parentsOf(type).any { parent ->
            parent.declaredMethods.any {
                it.name == member.name && Type.getMethodDescriptor(it).substringBeforeLast(')') == arguments
            }
        }
    }

    /** Whether [owner] is [type], or inherits what that has. */
    fun inherits(owner: String, type: String): Boolean {
        if (owner == type) return true
        if (owner !in this || type !in this) return false
        val of = { name: String -> Class.forName(name.replace('/', '.'), false, javaClass.classLoader) }
        return of(type).isAssignableFrom(of(owner))
    }

    private operator fun contains(name: String) = resource(name) != null

    private fun resource(name: String) = javaClass.classLoader.getResource("$name.class")

    private fun parentsOf(type: Class<*>): List<Class<*>> {
        val direct = listOfNotNull(type.superclass) + type.interfaces
        return direct.flatMap { parentsOf(it) + it }
    }

    private fun factsOf(name: String): Facts = classes.getOrPut(name) {
        val node = ClassNode()
        resource(name)!!.openStream().use { ClassReader(it).accept(node, ClassReader.SKIP_CODE) }
        Facts(node)
    }

    /** What is marked in one class. A property's mark is on a method `getName$annotations` beside its getter. */
    private class Facts(node: ClassNode) {
        private val marked = node.fields.filter { isMark(it.invisibleAnnotations) }.map { it.name + it.desc } +
            node.methods.filter { isMark(it.invisibleAnnotations) }
                .map { if (it.name.endsWith("\$annotations")) it.name else it.name + it.desc }
        val constants = node.fields.filter { it.value != null }.map { it.name }
        val signatures = node.fields.associate { it.name + it.desc to it.signature } +
            node.methods.associate { it.name + it.desc to it.signature }
        val isMarked = isMark(node.invisibleAnnotations)
        val isPublic = node.access and Opcodes.ACC_PUBLIC != 0

        fun marks(member: ApiMember): Boolean {
            val plain = member.name.substringBefore('-')
            val property = plain.removePrefix("set").removePrefix("get")
            return member.name + member.descriptor in marked ||
                listOf(plain, "get${property.replaceFirstChar(Char::uppercase)}", "get$property")
                    .any { "$it\$annotations" in marked }
        }

        private fun isMark(annotations: List<AnnotationNode>?) = annotations.orEmpty().any { it.desc == MARK }
    }
}
