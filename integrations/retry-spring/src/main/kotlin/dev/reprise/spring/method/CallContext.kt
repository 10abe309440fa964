package dev.reprise.spring.method

import io.micrometer.context.ContextSnapshot
import io.micrometer.context.ContextSnapshotFactory
import org.springframework.util.ClassUtils

/** The thread-locals of the thread that makes a call, as Micrometer's context-propagation knows them. */
internal interface CallContext {
    /** Runs [work] with these thread-locals, on any thread. */
    fun <T> within(work: () -> T): T

    companion object {
        private val IS_THERE =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallContext::class.java.classLoader)

        /** The thread-locals of this thread; none without the library. */
        fun capture(): CallContext = if (IS_THERE) Captured.now() else Nothing
    }

    private object Nothing : CallContext {
        override fun <T> within(work: () -> T): T = work()
    }

    /** Apart, so that its types are loaded only if they are there. */
    private class Captured(private val snapshot: ContextSnapshot) : CallContext {
        override fun <T> within(work: () -> T): T = snapshot.setThreadLocals().use { work() }

        companion object {
            private val factory = ContextSnapshotFactory.builder().build()

            fun now() = Captured(factory.captureAll())
        }
    }
}
