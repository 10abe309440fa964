package dev.reprise.ktor

import io.ktor.util.reflect.TypeInfo
import kotlin.reflect.KClass
import kotlin.reflect.KType

/** Reports in words a Ktor that is too old, before a client fails with a `NoSuchMethodError`. */
internal object KtorVersion {
    fun check(): Unit = check(TypeInfo::class.java)

    /** Checks the [info] of the Ktor that is there. */
    internal fun check(info: Class<*>) {
        val wanted = listOf(KClass::class.java, Boolean::class.javaPrimitiveType, KType::class.java)
        if (info.constructors.any { it.parameterTypes.asList() == wanted }) return
        val place = info.protectionDomain?.codeSource?.location
        throw IllegalStateException(
            "retry-ktor needs Ktor 3.6.1 or newer, and the class path has an older part of it, $place: " +
                "import io.ktor:ktor-bom, so that all parts have one version",
        )
    }
}
