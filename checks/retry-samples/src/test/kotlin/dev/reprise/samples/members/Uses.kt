package dev.reprise.samples.members

import org.objectweb.asm.ClassReader
import org.objectweb.asm.Handle
import org.objectweb.asm.Type
import org.objectweb.asm.tree.ClassNode
import org.objectweb.asm.tree.FieldInsnNode
import org.objectweb.asm.tree.InvokeDynamicInsnNode
import org.objectweb.asm.tree.MethodInsnNode
import java.nio.file.Path
import kotlin.io.path.readBytes

/** A method or field as class files name it; that of a companion is that of its class. */
data class Use(val owner: String, val name: String, val descriptor: String) {
    companion object {
        fun of(owner: String, name: String, descriptor: String) = Use(plain(owner), name, descriptor)

        /** The class that a companion belongs to; any other class itself. */
        fun plain(owner: String): String = owner.removeSuffix("\$Companion")
    }
}

/** All that compiled classes call, read, override or implement by a lambda. */
class Uses {
    private val found = mutableSetOf<Use>()

    val all: Set<Use> get() = found

    fun addFrom(classFile: Path) {
        val node = ClassNode().also { ClassReader(classFile.readBytes()).accept(it, ClassReader.SKIP_DEBUG) }
        for (method in node.methods) {
            // What it overrides, if it does, is used as its author uses it.
            if (method.name != "<init>") {
                for (parent in listOfNotNull(node.superName) + node.interfaces) add(parent, method.name, method.desc)
            }
            for (instruction in method.instructions) {
                when (instruction) {
                    is MethodInsnNode -> add(instruction.owner, instruction.name, instruction.desc)
                    is FieldInsnNode -> add(instruction.owner, instruction.name, instruction.desc)
                    is InvokeDynamicInsnNode -> addLambda(instruction)
                }
            }
        }
    }

    private fun addLambda(instruction: InvokeDynamicInsnNode) {
        val made = Type.getReturnType(instruction.desc)
        val form = instruction.bsmArgs.firstOrNull()
        if (made.sort == Type.OBJECT && form is Type && form.sort == Type.METHOD) {
            add(made.internalName, instruction.name, form.descriptor)
        }
        for (handle in instruction.bsmArgs.filterIsInstance<Handle>()) add(handle.owner, handle.name, handle.desc)
    }

    private fun add(owner: String, name: String, descriptor: String) {
        found += Use.of(owner, name, descriptor)
        withoutDefaults(owner, name, descriptor)?.let { found += it }
    }

    /** The function that Kotlin calls when arguments are left out: by a bridge that has a mask and a marker besides. */
    private fun withoutDefaults(owner: String, name: String, descriptor: String): Use? {
        val isConstructor = name == "<init>" && descriptor.endsWith("Lkotlin/jvm/internal/DefaultConstructorMarker;)V")
        if (!name.endsWith("\$default") && !isConstructor) return null
        val arguments = Type.getArgumentTypes(descriptor).toList()
        val isOfObject = !isConstructor && arguments.first().descriptor == "L$owner;"
        val own = arguments.drop(if (isOfObject) 1 else 0).dropLast(2).toTypedArray()
        return Use.of(
            owner,
            name.removeSuffix("\$default"),
            Type.getMethodDescriptor(Type.getReturnType(descriptor), *own),
        )
    }
}
