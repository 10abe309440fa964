package dev.reprise.spring.method

import dev.reprise.spring.Retry
import dev.reprise.spring.isThere
import org.springframework.aop.framework.AopProxyUtils
import org.springframework.core.KotlinDetector
import org.springframework.core.MethodParameter
import org.springframework.core.ReactiveAdapterRegistry
import org.springframework.core.annotation.MergedAnnotations
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy.TYPE_HIERARCHY
import org.springframework.util.ReflectionUtils
import java.lang.reflect.AnnotatedElement
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.lang.reflect.Proxy
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Future

/** Finds the uses of [Retry] in [type] that would not do what they say. */
internal class RetryChecks(private val type: Class<*>, private val takesOver: Boolean) {
    private val isOnClass = retryOf(type) != null || isTaken(type)
    private val methods: List<Method> = ReflectionUtils.getUniqueDeclaredMethods(type)
        .filter { it.declaringClass != Any::class.java && !it.isSynthetic && !it.isBridge && !isMadeForDefaults(it) }

    /** The names of the retriers in use. */
    fun names(): Set<String> = retried().mapNotNull { nameOf(it, type) }.toSet()

    /** The methods with Spring Framework's annotation alone, where that is taken over. */
    fun taken(): List<Method> = retried().filter { nameOf(it, type) == null }

    /** The first problem, in words; `null` if there is none. A proxy that is a subclass cannot override a final method. */
    fun problem(isSubclassed: Boolean): String? = retried().firstNotNullOfOrNull { method ->
        val place = "${type.simpleName}.${method.name}"
        val other = OTHERS.firstOrNull { isOther(it, method) && (has(method, it) || has(type, it)) }
        when {
            other != null -> "@Retry on $place: there is @$other too, and the attempts would multiply; keep one of them"

            Modifier.isPrivate(method.modifiers) -> "@Retry on $place: a private method is not called through the proxy"

            Modifier.isStatic(method.modifiers) -> "@Retry on $place: a static method is not called through the proxy"

            isSubclassed && Modifier.isFinal(method.modifiers) ->
                "@Retry on $place: the method is final, so the proxy cannot see its calls; $OPEN"

            else -> unsupported(method)?.let { "@Retry on $place: $it" }
        }
    }

    /** The methods to retry: annotated ones, and public ones of an annotated class. */
    private fun retried() = methods.filter {
        retryOf(it) != null || isTaken(it) ||
            (isOnClass && isOfClass(it) && Modifier.isPublic(it.modifiers) && !isAccessor(it))
    }

    /** Whether [method] only reads or writes a field, as the accessors of Kotlin's properties, which are final in open classes. */
    private fun isAccessor(method: Method): Boolean {
        val name = method.name
        val prefix = ACCESSORS.firstOrNull { name.startsWith(it) } ?: return false
        val property = name.removePrefix(prefix)
        val fields = setOf(property.replaceFirstChar(Char::lowercase), "is$property")
        return method.declaringClass.declaredFields.any { it.name in fields }
    }

    private fun isTaken(element: AnnotatedElement) = takesOver && has(element, RETRYABLE)

    /** Whether [annotation] on [method] is another than the one that is meant. */
    private fun isOther(annotation: String, method: Method) =
        annotation != RETRYABLE || !takesOver || nameOf(method, type) != null

    private fun unsupported(method: Method): String? {
        val returned = returned(method, type)
        val isFuture = FUTURE_TYPES.any { it.isAssignableFrom(returned) }
        return when {
            KotlinDetector.isSuspendingFunction(method) -> when {
                !HAS_COROUTINES_REACTOR -> NO_SUSPEND
                returned.name in setOf(MONO, FLUX) -> SUSPEND_PUBLISHER
                else -> null
            }

            isFuture -> if (returned in FUTURES) null else unknown(returned, "a CompletableFuture")

            returned.name in setOf(MONO, FLUX, FLOW) -> null

            ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null ->
                unknown(returned, "a Mono, Flux or Flow")

            else -> null
        }
    }

    private fun unknown(returned: Class<*>, known: String) =
        "a ${returned.simpleName} is not known to retries; return $known"

    companion object {
        /** Whether Spring can call suspend functions through a proxy. */
        private val HAS_COROUTINES_REACTOR = isThere("kotlinx.coroutines.reactor.MonoKt")

        const val MONO: String = "reactor.core.publisher.Mono"
        const val FLUX: String = "reactor.core.publisher.Flux"
        const val FLOW: String = "kotlinx.coroutines.flow.Flow"
        private val FUTURES = setOf(CompletableFuture::class.java, CompletionStage::class.java)
        private val FUTURE_TYPES = setOf(Future::class.java, CompletionStage::class.java)
        private const val NO_SUSPEND =
            "a suspend function needs org.jetbrains.kotlinx:kotlinx-coroutines-reactor on the class path"
        private const val SUSPEND_PUBLISHER =
            "Spring's proxies take a Mono or Flux of a suspend function for its result; leave suspend out, or return a Flow"
        private const val OPEN =
            "in Kotlin declare it open (the compiler plugin \"spring\" does so for @Service and @Component)"

        /** How the name ends of the method that fills in the defaults of a Kotlin function. */
        private const val DEFAULTS = "\$default"
        private val ACCESSORS = listOf("get", "set", "is")

        const val RETRYABLE: String = "org.springframework.resilience.annotation.Retryable"

        /** Annotations that retry as well. */
        private val OTHERS =
            listOf(
                RETRYABLE,
                "org.springframework.retry.annotation.Retryable",
                "io.github.resilience4j.retry.annotation.Retry",
                "org.eclipse.microprofile.faulttolerance.Retry",
            )

        /** The classes whose annotations count for [bean]: that of its target, and interfaces that only a proxy has. */
        fun typesOf(bean: Any): List<Class<*>> {
            val target = AopProxyUtils.ultimateTargetClass(bean)
            if (Proxy.isProxyClass(target)) return target.interfaces.asList()
            return listOf(target) + bean.javaClass.interfaces.filter { !it.isAssignableFrom(target) }
        }

        /** The name of the retrier of [method], called on a [target]; `null` if it is not to be retried. */
        fun nameOf(method: Method, target: Class<*>): String? = retryOf(method)
            ?: if (isOfClass(method) && Modifier.isPublic(method.modifiers)) {
                retryOf(target) ?: retryOf(method.declaringClass)
            } else {
                null
            }

        /**
         * The type that [method] returns, called on a [target], which may say what a parent's `T` is. Of a suspend function that
         * in its source.
         */
        fun returned(method: Method, target: Class<*>): Class<*> =
            MethodParameter(method, -1).withContainingClass(target).parameterType

        /**
         * Whether `@JvmOverloads` made [method]: always final and with the annotations of its function, which it calls with the
         * defaults. So the proxy sees that call.
         */
        fun isMadeForDefaults(method: Method): Boolean {
            if (!Modifier.isFinal(method.modifiers)) return false
            val all = method.declaringClass.declaredMethods
            return all.any { it.isSynthetic && it.name == method.name + DEFAULTS } && all.any { fillsIn(method, it) }
        }

        /** Whether [function] can be called by a proxy, and takes the parameters of [overload], in order, and more. */
        private fun fillsIn(overload: Method, function: Method): Boolean {
            if (function.name != overload.name || Modifier.isFinal(function.modifiers)) return false
            val taken = function.parameterTypes.iterator()
            return overload.parameterCount < function.parameterCount &&
                overload.parameterTypes.all { given -> taken.asSequence().any { it == given } }
        }

        /** Whether an annotation on its class is also for [method]: `toString`, `equals` and `hashCode` are no calls to retry. */
        fun isOfClass(method: Method): Boolean =
            !ReflectionUtils.isObjectMethod(method) && !Modifier.isStatic(method.modifiers)

        fun finalClass(type: Class<*>): String =
            "@Retry on ${type.simpleName}: the class is final, so Spring can make no proxy of it; $OPEN"

        private fun retryOf(element: AnnotatedElement): String? =
            MergedAnnotations.from(element, TYPE_HIERARCHY).get(Retry::class.java)
                .takeIf { it.isPresent }?.getString("value")

        private fun has(element: AnnotatedElement, name: String) =
            MergedAnnotations.from(element, TYPE_HIERARCHY).isPresent(name)
    }
}
