package dev.reprise.core

import java.util.Arrays

/**
 * A set of [names] in this order. It is `setOf` without the 14 classes of `kotlin.collections` behind that, which a program
 * loads before its first attempt otherwise.
 */
internal fun namesOf(vararg names: String): Set<String> = LinkedHashSet(Arrays.asList(*names))
