package dev.reprise.services

import com.mongodb.MongoException
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict

/** The snippet of the page on databases. */
internal object MongoPolicy {
    val policy = RetryPolicy {
        onFailure { failure ->
            if (failure is MongoException && failure.hasErrorLabel("RetryableError")) {
                val isBusy = failure.hasErrorLabel("SystemOverloadedError")
                val isUndone = failure.hasErrorLabel("NoWritesPerformed")
                Verdict.Retry(if (isBusy) FailureKind.THROTTLING else FailureKind.TRANSIENT, "label", isUndone)
            } else {
                null
            }
        }
    }
}
