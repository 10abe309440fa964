package dev.reprise.spring

/**
 * Retries the calls of a method, or of all public methods of a class, with the retrier that the [RetryRegistry] has under the
 * name [value]. One on a method replaces the one on its class.
 *
 * The method is called again for each attempt. It may be plain, `suspend`, or return a `CompletableFuture`, `Mono`, `Flux` or
 * `Flow`; an attempt of the last four is a subscription. `@Transactional` on the same method is inside: each attempt has its own
 * transaction. A call from within the same object goes past the proxy and is not retried.
 *
 * Refused when the bean is created: a final class or method, a private or static method, a second retry annotation on the same
 * method, a name that the registry does not have.
 */
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
@Retention(AnnotationRetention.RUNTIME)
@MustBeDocumented
public annotation class Retry(
    /** The retrier's name. */
    val value: String = RetryRegistry.DEFAULT,
)
