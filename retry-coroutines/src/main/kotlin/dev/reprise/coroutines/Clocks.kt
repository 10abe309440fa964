package dev.reprise.coroutines

import dev.reprise.core.NanoClock
import kotlin.time.TimeSource

/** This time source as a retrier's clock, such as `testTimeSource` of `runTest`. */
public fun TimeSource.asNanoClock(): NanoClock {
    val origin = markNow()
    return NanoClock { origin.elapsedNow().inWholeNanoseconds }
}
