package dev.reprise.spring

/**
 * Retries a method's calls, or those of all public methods of a class, with the retrier that [RetryRegistry] has under the
 * name [value]. On a method it replaces the one on its class.
 */
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
@Retention(AnnotationRetention.RUNTIME)
@MustBeDocumented
public annotation class Retry(
    /** The retrier's name. */
    val value: String,
)
