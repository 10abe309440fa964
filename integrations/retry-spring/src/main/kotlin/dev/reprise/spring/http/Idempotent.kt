package dev.reprise.spring.http

import org.springframework.core.MethodParameter
import org.springframework.core.annotation.AnnotatedElementUtils
import org.springframework.web.service.invoker.HttpRequestValues
import java.lang.reflect.Method

/**
 * On a method of an HTTP interface (`@HttpExchange`), or on the interface: repeating its request does no harm, with any
 * HTTP method. So a `POST` is retried like a `PUT`. The starter applies it in groups that have a policy; set an
 * [IdempotentMethods] on any other `HttpServiceProxyFactory`.
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
