package dev.reprise.core

/** Marks what is young: it works and is tested, but may change or go in a minor version. Its users opt in. */
@RequiresOptIn("Experimental in Reprise: may change or go in a minor version.")
@Retention(AnnotationRetention.BINARY)
@Target(
    AnnotationTarget.CLASS,
    AnnotationTarget.FUNCTION,
    AnnotationTarget.PROPERTY,
    AnnotationTarget.CONSTRUCTOR,
    AnnotationTarget.FIELD,
)
public annotation class ExperimentalReprise
