package dev.reprise.spring.method

import dev.reprise.spring.isThere
import io.micrometer.context.ContextSnapshotFactory

/**
 * The context of the thread that makes a call, for attempts on other threads: its context class loader, and the thread-locals that
 * Micrometer's context-propagation knows, if that is there.
 */
internal class CallContext private constructor(
    private val loader: ClassLoader?,
    private val locals: () -> AutoCloseable?,
) {
    /** Runs [work] in this context, on any thread. */
    fun <T> within(work: () -> T): T {
        val thread = Thread.currentThread()
        val own = thread.contextClassLoader
        thread.contextClassLoader = loader
        try {
            return locals().use { work() }
        } finally {
            thread.contextClassLoader = own
        }
    }

    companion object {
        private val HAS_LOCALS = isThere("io.micrometer.context.ContextSnapshotFactory")

        /** The context of this thread. */
        fun capture(): CallContext =
            CallContext(Thread.currentThread().contextClassLoader, if (HAS_LOCALS) Locals.capture() else NOTHING)

        private val NOTHING: () -> AutoCloseable? = { null }
    }

    /** Apart, so that its types are loaded only if they are there. */
    private object Locals {
        private val factory = ContextSnapshotFactory.builder().build()

        fun capture(): () -> AutoCloseable = factory.captureAll()::setThreadLocals
    }
}
