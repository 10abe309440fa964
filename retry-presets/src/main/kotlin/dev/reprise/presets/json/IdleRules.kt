package dev.reprise.presets.json

import dev.reprise.core.shell.text.WarningLog
import dev.reprise.presets.document.Members

/**
 * Logs rules of a document that never apply: for a class that is not there, or that is no exception. It is no error, since the
 * library that has the class may be optional. Each text once.
 */
internal object IdleRules {
    fun tell(members: Members) {
        for (member in listOf("retryOn", "rejectOn")) {
            val node = members[member] ?: continue
            for (name in ClassifierJson.readClassNames(node)) {
                val why = idleBecause(name) ?: continue
                WarningLog.tell("${node.path}: $why: $name")
            }
        }
    }

    private fun idleBecause(name: String): String? = try {
        if (Throwable::class.java.isAssignableFrom(classOf(name))) null else "no exception"
    } catch (_: ClassNotFoundException) {
        "no such class on this class path"
    } catch (_: LinkageError) {
        "a class that cannot be loaded"
    }

    /** The class called [name]; a nested one may be written with a dot, as the rule itself takes it. */
    private fun classOf(name: String): Class<*> {
        val loader = Thread.currentThread().contextClassLoader ?: IdleRules::class.java.classLoader
        return try {
            Class.forName(name, false, loader)
        } catch (_: ClassNotFoundException) {
            Class.forName(name.substringBeforeLast('.') + "$" + name.substringAfterLast('.'), false, loader)
        }
    }
}
