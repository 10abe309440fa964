package dev.reprise.aws.java

/** A chain of causes may be a ring. */
private const val MOST_CAUSES = 10

/** This failure and its causes, from the outside in, as far as they are looked at. */
internal fun Throwable.withCauses(): Sequence<Throwable> = generateSequence(this) { it.cause }.take(MOST_CAUSES)
