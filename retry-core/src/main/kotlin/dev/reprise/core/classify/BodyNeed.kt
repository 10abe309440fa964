package dev.reprise.core.classify

/**
 * Which bodies a face has to read for a classifier to work: a rule that finds no body has no opinion. Say no more than is
 * needed: a body that is read is held in memory, as far as the face's bound allows.
 */
public enum class BodyNeed {
    /** No body is looked at. */
    NONE,

    /** Those of failures: a rule asks for the error message. */
    FAILURES,

    /** Those of all responses that carry a checksum, and of failures. */
    ALL,
}
