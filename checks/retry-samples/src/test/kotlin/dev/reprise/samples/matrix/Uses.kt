package dev.reprise.samples.matrix

import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.Handle
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes
import org.objectweb.asm.Type
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

    fun addFrom(classFile: Path) = ClassReader(classFile.readBytes()).accept(Reader(), ClassReader.SKIP_DEBUG)

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

    private inner class Reader : ClassVisitor(Opcodes.ASM9) {
        private var parents = emptyList<String>()

        override fun visit(
            version: Int,
            access: Int,
            name: String,
            signature: String?,
            superName: String?,
            interfaces: Array<out String>,
        ) {
            parents = listOfNotNull(superName) + interfaces
        }

        override fun visitMethod(
            access: Int,
            name: String,
            descriptor: String,
            signature: String?,
            exceptions: Array<out String>?,
        ): MethodVisitor {
            // What it overrides, if it does, is used as its author uses it.
            for (parent in parents) if (name != "<init>") add(parent, name, descriptor)
            return Body()
        }
    }

    private inner class Body : MethodVisitor(Opcodes.ASM9) {
        override fun visitMethodInsn(
            opcode: Int,
            owner: String,
            name: String,
            descriptor: String,
            isInterface: Boolean,
        ) = add(owner, name, descriptor)

        override fun visitFieldInsn(opcode: Int, owner: String, name: String, descriptor: String) =
            add(owner, name, descriptor)

        override fun visitInvokeDynamicInsn(
            name: String,
            descriptor: String,
            bootstrap: Handle,
            vararg arguments: Any?,
        ) {
            val made = Type.getReturnType(descriptor)
            val form = arguments.firstOrNull()
            if (made.sort == Type.OBJECT && form is Type && form.sort == Type.METHOD) {
                add(made.internalName, name, form.descriptor)
            }
            for (handle in arguments.filterIsInstance<Handle>()) add(handle.owner, handle.name, handle.desc)
        }
    }
}
