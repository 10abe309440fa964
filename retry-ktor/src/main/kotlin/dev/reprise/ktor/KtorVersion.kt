package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.http.HttpMethod
import io.ktor.util.reflect.TypeInfo
import kotlinx.coroutines.Job
import kotlin.reflect.KClass
import kotlin.reflect.KType

/** Reports in words a Ktor or coroutines that are too old, before a client fails with a `NoSuchMethodError`. */
internal object KtorVersion {
    fun check() {
        check { HttpMethod.Head }
        if (isSince36(TypeInfo::class.java)) checkCoroutines(Job::class.java)
    }

    /** Checks the Ktor that is there. [since34] uses what 3.4 added: fields of `HttpMethod` that Java sees. */
    internal fun check(since34: () -> Any) {
        try {
            since34()
        } catch (e: LinkageError) {
            throw IllegalStateException(
                "retry-ktor needs Ktor 3.4 or newer, and the class path has an older part of it, " +
                    "${placeOf(HttpClient::class.java)}: import io.ktor:ktor-bom, so that all parts have one version",
                e,
            )
        }
    }

    internal fun isSince36(info: Class<*>): Boolean {
        val wanted = listOf(KClass::class.java, Boolean::class.javaPrimitiveType, KType::class.java)
        return info.constructors.any { it.parameterTypes.asList() == wanted }
    }

    /** Checks the [job] of the coroutines that are there. Maven takes older ones if a module that names them comes first. */
    internal fun checkCoroutines(job: Class<*>) {
        if (job.methods.any { it.name == "cancel\$default" }) return
        throw IllegalStateException(
            "Ktor 3.6 needs kotlinx-coroutines 1.11.0 or newer, and the class path has an older one, " +
                "${placeOf(job)}: " +
                "declare the client's engine before any module of Reprise, or name kotlinx-coroutines-core-jvm:1.11.0 in your build",
        )
    }

    private fun placeOf(type: Class<*>) = type.protectionDomain?.codeSource?.location
}
