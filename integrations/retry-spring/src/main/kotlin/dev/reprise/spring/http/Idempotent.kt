package dev.reprise.spring.http

import org.springframework.core.MethodParameter
import org.springframework.core.annotation.AnnotatedElementUtils
import org.springframework.web.service.invoker.HttpRequestValues
import java.lang.reflect.Method

/**
 * On a method of an HTTP interface (`@HttpExchange`), or on all of them: doing its request more than once does no harm, whatever
 * its HTTP method, so that a `POST` is retried as a `PUT` is. The starter sees to it for groups that have a policy; any other
 * `HttpServiceProxyFactory` takes an [IdempotentMethods].
 */
@Target(AnnotationTarget.FUNCTION, AnnotationTarget.CLASS)
@Retention(AnnotationRetention.RUNTIME)
@MustBeDocumented
public annotation class Idempotent

/** Gives the requests of methods with [Idempotent] the attribute [RetryAttributes.IDEMPOTENT], unless they have options. */
public class IdempotentMethods : HttpRequestValues.Processor {
    override fun process(
        method: Method,
        parameters: Array<MethodParameter>,
        arguments: Array<out Any?>,
        builder: HttpRequestValues.Builder,
    ) {
        if (!isIdempotent(method)) return
        builder.configureAttributes { if (RetryAttributes.NAME !in it) RetryAttributes.IDEMPOTENT.accept(it) }
    }

    private fun isIdempotent(method: Method) = listOf(method, method.declaringClass)
        .any { AnnotatedElementUtils.hasAnnotation(it, Idempotent::class.java) }
}
