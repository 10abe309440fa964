package dev.reprise.core

/**
 * The response bodies that a face has to read for a classifier; a rule without its body has no opinion. Ask for no more
 * than needed: a body is held in memory, up to the face's bound.
 */
public enum class BodyNeed {
    /** No body is looked at. */
    NONE,

    /** Bodies of failures: a rule reads the error message. */
    FAILURES,

    /** Bodies of all responses. A face may leave out a good one whose length it does not know: that may be a stream. */
    ALL,
}
