package dev.reprise.core.shell

/**
 * Marks a class that may refer to what Android lacks: the build's check leaves it out. The parent POM lists them by name. Such a class is
 * only loaded where the JVM has it, or falls back on a [LinkageError].
 */
@ShellApi
@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS)
public annotation class JvmOnly
