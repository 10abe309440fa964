package dev.reprise.core.shell

/**
 * Marks the API for authors of shells: loops that make the attempts of a call and do its waiting, such as the faces for
 * coroutines, threads, futures and HTTP clients. `docs/research/shells.md` is its manual. May change in any release.
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
