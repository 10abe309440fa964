package dev.reprise.ktor

import io.ktor.util.reflect.TypeInfo
import kotlinx.coroutines.Job
import kotlin.reflect.KClass
import kotlin.reflect.KType

/** Reports in words a Ktor or coroutines that are too old, before a client fails with a `NoSuchMethodError`. */
internal object KtorVersion {
    fun check() {
        check(TypeInfo::class.java)
        checkCoroutines(Job::class.java)
    }

    /** Checks the [info] of the Ktor that is there. */
    internal fun check(info: Class<*>) {
        val wanted = listOf(KClass::class.java, Boolean::class.javaPrimitiveType, KType::class.java)
        if (info.constructors.any { it.parameterTypes.asList() == wanted }) return
        throw IllegalStateException(
            "retry-ktor needs Ktor 3.6.1 or newer, and the class path has an older part of it, ${placeOf(info)}: " +
                "import io.ktor:ktor-bom, so that all parts have one version",
        )
    }

    /** Checks the [job] of the coroutines that are there. Maven takes older ones if a module that names them comes first. */
    internal fun checkCoroutines(job: Class<*>) {
        if (job.methods.any { it.name == "cancel\$default" }) return
        throw IllegalStateException(
            "Ktor 3.6.1 needs kotlinx-coroutines 1.11.0 or newer, and the class path has an older one, ${placeOf(
                job,
            )}: " +
                "declare retry-ktor before any other module of Reprise, or name kotlinx-coroutines-core-jvm:1.11.0 in your build",
        )
    }

    private fun placeOf(type: Class<*>) = type.protectionDomain?.codeSource?.location
}
