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
import java.lang.reflect.Method
import java.time.Duration

/** Reads Spring Framework's [Retryable], and keeps a retrier of its attributes in a registry for each method. */
internal class RetryableMethods(private val beans: ConfigurableListableBeanFactory) {
    private val resolver = EmbeddedValueResolver(beans)

    /**
     * The name of the retrier of [method], called on a [target]; `null` if it is not to be retried. Adds the retrier to
     * [registry] unless there is one of this name.
     */
    fun nameOf(method: Method, target: Class<*>, registry: RetryRegistry): String? {
        val retryable = retryableOf(method, target) ?: return null
        val name = nameOf(method, target)
        if (name !in registry.names) {
            registry.update(mapOf(name to SpringPolicies.translated(policyOf(retryable, method))))
        }
        return name
    }

    private fun nameOf(method: Method, target: Class<*>): String {
        val name = "${target.simpleName}.${method.name}"
        val isAlone = target.methods.count { it.name == method.name && !it.isBridge } < 2
        return if (isAlone) name else name + method.parameterTypes.joinToString(",", "(", ")") { it.simpleName }
    }

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

    private fun predicateOf(retryable: Retryable): MethodRetryPredicate {
        val type = retryable.predicate.java
        return if (type == MethodRetryPredicate::class.java) {
            MethodRetryPredicate { _, _ -> true }
        } else {
            beans.createBean(type)
        }
    }

    companion object {
        private val LONGEST = Duration.ofMillis(Long.MAX_VALUE)

        /** The annotation of [method], called on a [target]. */
        fun retryableOf(method: Method, target: Class<*>): Retryable? =
            AnnotatedElementUtils.findMergedAnnotation(method, Retryable::class.java)
                ?: target.takeIf { RetryChecks.isOfClass(method) }
                    ?.let { AnnotatedElementUtils.findMergedAnnotation(it, Retryable::class.java) }
    }
}
