package dev.reprise.core

/*
 * The words of everyday policies under the package that everyday code imports anyway: `import dev.reprise.core.*` and
 * `import dev.reprise.coroutines.*` are enough to write one.
 */

/** See [dev.reprise.core.backoff.Backoff]. */
public typealias Backoff = dev.reprise.core.backoff.Backoff

/** See [dev.reprise.core.backoff.Jitter]. */
public typealias Jitter = dev.reprise.core.backoff.Jitter

/** See [dev.reprise.core.classify.Verdict], to import for `Verdict.Reject`: an alias leads to no nested class. */
public typealias Verdict = dev.reprise.core.classify.Verdict

/** See [dev.reprise.core.classify.FailureKind]. */
public typealias FailureKind = dev.reprise.core.classify.FailureKind
