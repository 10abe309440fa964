package dev.reprise.okhttp

import okhttp3.Interceptor

/** Reports in words an OkHttp that is too old, before a call fails with a `NoSuchMethodError`. */
internal object OkHttpVersion {
    fun check(): Unit = check(Interceptor.Chain::class.java)

    /** Checks the [chain] of the OkHttp that is there. */
    internal fun check(chain: Class<*>) {
        // Since 5.4, and the last that this module needs.
        if (chain.methods.any { it.name == "getRetryOnConnectionFailure" }) return
        val place = chain.protectionDomain?.codeSource?.location
        throw IllegalStateException(
            "retry-okhttp needs OkHttp 5.4 or newer, and the class path has an older one first, in $place. " +
                "Retrofit 3.0 brings OkHttp 4.12 as com.squareup.okhttp3:okhttp: exclude that from it, " +
                "okhttp-jvm has the same classes",
        )
    }
}
