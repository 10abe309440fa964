package dev.reprise.lab.replay

import dev.reprise.lab.input.Document
import dev.reprise.lab.input.members
import kotlinx.serialization.json.JsonPrimitive
import java.lang.reflect.Constructor
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Modifier

/** Makes exceptions of any class on the class path. */
internal object Throwables {
    private const val DEEPEST = 100

    /** The exception that the members `exception`, `message` and `cause` describe. */
    fun read(members: Map<String, Document>, depth: Int = 0): Throwable {
        val type = members.getValue("exception")
        val message = members["message"]?.text()
        if (depth > DEEPEST) type.wrong("must not have more than $DEEPEST causes")
        val cause = members["cause"]?.let { cause(it, depth + 1) }
        val throwable = try {
            // Found, not initialized: a file that names a class must not run what any class does at its first use.
            Class.forName(type.text(), false, Throwables::class.java.classLoader)
        } catch (_: ClassNotFoundException) {
            type.wrong("must be a class on the class path")
        } catch (_: LinkageError) {
            type.wrong("must be a class that can be loaded")
        }
        if (!Throwable::class.java.isAssignableFrom(throwable)) type.wrong("must be a kind of java.lang.Throwable")
        if (Modifier.isAbstract(throwable.modifiers)) type.wrong("must not be abstract")
        return make(throwable, message, cause)
            ?: type.wrong("must have a public constructor for its message ($message) and its cause ($cause)")
    }

    /** A cause is written like an exception that is an outcome, or as its class name alone. */
    private fun cause(document: Document, depth: Int): Throwable {
        if ((document.element as? JsonPrimitive)?.isString == true) return read(mapOf("exception" to document), depth)
        val members = document.members("exception", "message", "cause")
        if ("exception" !in members) document.wrong("must have the member \"exception\"")
        return read(members, depth)
    }

    /** An exception of [type], by the constructor that needs the least beyond what is there. */
    private fun make(type: Class<*>, message: String?, cause: Throwable?): Throwable? = type.constructors
        .filter { it.isPlain() && (message == null || it.takes(String::class.java)) }
        .sortedWith(compareBy({ cause != null && !it.takes(cause.javaClass) }, { it.parameterCount }))
        .firstNotNullOfOrNull { construct(it, message, cause) }

    private fun construct(constructor: Constructor<*>, message: String?, cause: Throwable?): Throwable? = try {
        val arguments = constructor.parameterTypes.map { if (it == String::class.java) message else cause }
        val made = constructor.newInstance(*arguments.toTypedArray()) as Throwable
        if (cause == null || made.cause === cause) made else made.initCause(cause)
    } catch (_: InvocationTargetException) {
        null // such as UncheckedIOException without a cause
    } catch (_: IllegalArgumentException) {
        null // the cause is not of the type that the constructor wants
    } catch (_: IllegalStateException) {
        null // it has a cause already
    } catch (_: LinkageError) {
        null // its initialization fails
    }

    /** Whether it takes a message, a cause, both or neither, and nothing else. */
    private fun Constructor<*>.isPlain(): Boolean {
        val (texts, others) = parameterTypes.partition { it == String::class.java }
        return texts.size <= 1 && others.size <= 1 && others.all { Throwable::class.java.isAssignableFrom(it) }
    }

    private fun Constructor<*>.takes(type: Class<*>) = parameterTypes.any { it.isAssignableFrom(type) }
}
