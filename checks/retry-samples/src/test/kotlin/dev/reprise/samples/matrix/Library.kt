package dev.reprise.samples.matrix

import dev.reprise.build.ApiMember
import dev.reprise.build.ApiType
import org.objectweb.asm.AnnotationVisitor
import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.FieldVisitor
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes
import org.objectweb.asm.Type

private const val MARK = "Ldev/reprise/core/shell/ShellApi;"

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
        val facts = Facts()
        resource(name)!!.openStream().use { ClassReader(it).accept(facts, ClassReader.SKIP_CODE) }
        facts
    }

    /** What is marked in one class. A property's mark is on a method `getName$annotations` beside its getter. */
    private class Facts : ClassVisitor(Opcodes.ASM9) {
        private val marked = mutableSetOf<String>()
        val constants = mutableSetOf<String>()
        var isMarked = false
            private set

        fun marks(member: ApiMember): Boolean {
            val plain = member.name.substringBefore('-')
            val property = plain.removePrefix("set").removePrefix("get")
            return member.name + member.descriptor in marked ||
                listOf(plain, "get${property.replaceFirstChar(Char::uppercase)}", "get$property")
                    .any { "$it\$annotations" in marked }
        }

        override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? {
            if (descriptor == MARK) isMarked = true
            return null
        }

        override fun visitField(
            access: Int,
            name: String,
            descriptor: String,
            signature: String?,
            value: Any?,
        ): FieldVisitor? {
            if (value != null) constants += name
            return object : FieldVisitor(Opcodes.ASM9) {
                override fun visitAnnotation(annotation: String, visible: Boolean): AnnotationVisitor? {
                    if (annotation == MARK) marked += name + descriptor
                    return null
                }
            }
        }

        override fun visitMethod(
            access: Int,
            name: String,
            descriptor: String,
            signature: String?,
            exceptions: Array<out String>?,
        ): MethodVisitor = object : MethodVisitor(Opcodes.ASM9) {
            override fun visitAnnotation(annotation: String, visible: Boolean): AnnotationVisitor? {
                if (annotation == MARK) marked += if (name.endsWith("\$annotations")) name else name + descriptor
                return null
            }
        }
    }
}
