package dev.reprise.spring.boot

import dev.reprise.spring.Retry
import org.springframework.aot.hint.MemberCategory
import org.springframework.aot.hint.RuntimeHints
import org.springframework.aot.hint.RuntimeHintsRegistrar

/** The hints that a native image needs for this library. */
internal class RepriseRuntimeHints : RuntimeHintsRegistrar {
    override fun registerHints(hints: RuntimeHints, classLoader: ClassLoader?) {
        // Spring calls an annotation's methods to read it.
        hints.reflection().registerType(Retry::class.java, MemberCategory.INVOKE_PUBLIC_METHODS)
    }
}
