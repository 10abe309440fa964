package dev.reprise.spring.method

import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.SpringPolicies
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory
import org.springframework.beans.factory.config.EmbeddedValueResolver
import org.springframework.core.annotation.AnnotatedElementUtils
import org.springframework.core.retry.RetryPolicy
import org.springframework.format.annotation.DurationFormat
import org.springframework.format.datetime.standard.DurationFormatterUtils
import org.springframework.resilience.annotation.Retryable
import org.springframework.resilience.retry.MethodRetryPredicate
import org.springframework.util.ReflectionUtils
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.time.Duration

/** Reads Spring Framework's [Retryable], and keeps a retrier of its attributes in a registry for each method. */
internal class RetryableMethods(private val beans: ConfigurableListableBeanFactory) {
    private val resolver = EmbeddedValueResolver(beans)

    private val names = HashMap<String, String>()

    /**
     * The name of the retrier of [method], called on a [target]; `null` if it is not to be retried. No other method has it. Adds the
     * retrier to [registry], unless there is one of the user's: that may be named as the method is, with or without its package.
     * Below one from properties the attributes' policy stands ready.
     */
    @Synchronized
    fun nameOf(method: Method, target: Class<*>, registry: RetryRegistry): String? {
        val retryable = retryableOf(method, target) ?: return null
        val isAlone = ReflectionUtils.getUniqueDeclaredMethods(target).count { isAlike(it, method, target) } < 2
        val full = nameOf(target.name, method, isAlone) { it.name }
        return names.getOrPut(full) {
            val short = nameOf(target.simpleName, method, isAlone) { it.simpleName }
            val (added, users) = listOf(full, short).filter { it in registry.names }.partition { it in names.values }
            (users.firstOrNull() ?: if (short in added) full else short).also {
                registry.ensure(it) { SpringPolicies.translated(policyOf(retryable, method)) }
            }
        }
    }

    private fun nameOf(type: String, method: Method, isAlone: Boolean, parameter: (Class<*>) -> String): String =
        "$type.${method.name}" +
            if (isAlone) "" else method.parameterTypes.joinToString(",", "(", ")", transform = parameter)

    /** Whether [method] on [target] is retried as well, and is called as [other] is. */
    private fun isAlike(method: Method, other: Method, target: Class<*>) =
        method.name == other.name && !method.isBridge && !Modifier.isPrivate(method.modifiers) &&
            !RetryChecks.isMadeForDefaults(method) && retryableOf(method, target) != null

    private fun policyOf(retryable: Retryable, method: Method): RetryPolicy {
        val unit = DurationFormat.Unit.fromChronoUnit(retryable.timeUnit.toChronoUnit())

        fun duration(number: Long, text: String): Duration =
            resolved(text)?.let { DurationFormatterUtils.detectAndParse(it, unit) }
                ?: if (number == Long.MAX_VALUE) LONGEST else Duration.of(number, retryable.timeUnit.toChronoUnit())

        return RetryPolicy.builder()
            .includes(retryable.includes.map { it.java } + retryable.value.map { it.java })
            .excludes(retryable.excludes.map { it.java })
            .predicate(predicateOf(retryable).forMethod(method))
            .maxRetries(resolved(retryable.maxRetriesString)?.toLong() ?: retryable.maxRetries)
            .timeout(duration(retryable.timeout, retryable.timeoutString))
            .delay(duration(retryable.delay, retryable.delayString))
            .jitter(duration(retryable.jitter, retryable.jitterString))
            .multiplier(resolved(retryable.multiplierString)?.toDouble() ?: retryable.multiplier)
            .maxDelay(duration(retryable.maxDelay, retryable.maxDelayString))
            .build()
    }

    private fun resolved(text: String): String? =
        text.takeIf(String::isNotBlank)?.let(resolver::resolveStringValue)?.takeIf(String::isNotBlank)

    private fun predicateOf(retryable: Retryable): MethodRetryPredicate =
        retryable.predicate.java.takeIf { it != MethodRetryPredicate::class.java }?.let { beans.createBean(it) }
            ?: MethodRetryPredicate { _, _ -> true }

    companion object {
        private val LONGEST = Duration.ofMillis(Long.MAX_VALUE)

        /** The annotation of [method], called on a [target]. */
        fun retryableOf(method: Method, target: Class<*>): Retryable? =
            AnnotatedElementUtils.findMergedAnnotation(method, Retryable::class.java)
                ?: target.takeIf { RetryChecks.isOfClass(method) }
                    ?.let { AnnotatedElementUtils.findMergedAnnotation(it, Retryable::class.java) }
    }
}
