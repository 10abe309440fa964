package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.shell.values.repeated
import org.springframework.core.MethodParameter
import org.springframework.core.annotation.AnnotatedElementUtils
import org.springframework.web.service.invoker.HttpRequestValues
import java.lang.reflect.Method

/**
 * On a method of an HTTP interface (`@HttpExchange`), or on the interface that declares it: repeating its request does no
 * harm, with any HTTP method. So a `POST` is retried like a `PUT`. Methods that an interface only inherits need it where they
 * are declared. The starter applies it in groups that have a policy; set an [IdempotentMethods] on any other
 * `HttpServiceProxyFactory`.
 */
@Target(AnnotationTarget.FUNCTION, AnnotationTarget.CLASS)
@Retention(AnnotationRetention.RUNTIME)
@MustBeDocumented
public annotation class Idempotent

/** Marks the requests of methods with [Idempotent] as safe to repeat, unless their [options][RetryAttributes] say more. */
public class IdempotentMethods : HttpRequestValues.Processor {
    override fun process(
        method: Method,
        parameters: Array<MethodParameter>,
        arguments: Array<out Any?>,
        builder: HttpRequestValues.Builder,
    ) {
        if (!isIdempotent(method)) return
        builder.configureAttributes {
            val asked = it[RetryAttributes.NAME] as CallOptions? ?: CallOptions.DEFAULT
            if (asked.repeat == null) it[RetryAttributes.NAME] = asked.repeated(Repeat.SAFE)
        }
    }

    private fun isIdempotent(method: Method) = listOf(method, method.declaringClass)
        .any { AnnotatedElementUtils.hasAnnotation(it, Idempotent::class.java) }
}
