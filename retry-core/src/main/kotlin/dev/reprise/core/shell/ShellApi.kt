package dev.reprise.core.shell

/**
 * Marks what only those need who write a shell: a loop that makes the attempts of a call and does its waiting, as the
 * faces for coroutines, threads, futures and HTTP clients do. `docs/research/shells.md` is its manual. May change in any release.
 */
@RequiresOptIn("For those who write a shell of their own; see docs/research/shells.md. May change in any release.")
@Retention(AnnotationRetention.BINARY)
@Target(
    AnnotationTarget.CLASS,
    AnnotationTarget.FUNCTION,
    AnnotationTarget.PROPERTY,
    AnnotationTarget.CONSTRUCTOR,
    AnnotationTarget.FIELD,
)
public annotation class ShellApi
