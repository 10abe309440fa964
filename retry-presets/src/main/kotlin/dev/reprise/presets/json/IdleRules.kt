package dev.reprise.presets.json

import dev.reprise.core.shell.text.WarningLog
import dev.reprise.presets.document.Node

/**
 * Logs rules of a document that never apply: for a class that is not there, or that is no exception. It is no error, since the
 * library that has the class may be optional. Each text once.
 */
internal object IdleRules {
    fun tell(policy: Node) {
        val members = policy.members()
        for (member in listOf("retryOn", "rejectOn")) {
            val node = members[member] ?: continue
            for (name in ClassifierJson.readClassNames(node)) {
                val why = idleBecause(name) ?: continue
                WarningLog.tell("${node.path}: $why: $name")
            }
        }
    }

    private fun idleBecause(name: String): String? = try {
        val loader = Thread.currentThread().contextClassLoader ?: IdleRules::class.java.classLoader
        if (Throwable::class.java.isAssignableFrom(Class.forName(name, false, loader))) null else "no exception"
    } catch (_: ClassNotFoundException) {
        "no such class on this class path"
    } catch (_: LinkageError) {
        "a class that cannot be loaded"
    }
}
