package dev.reprise.lab.run

/**
 * Long work of one command. It shows its progress on [bar], and Ctrl-C ends it at its next step instead of at once, so that
 * the finished part can be written.
 */
internal class LongRun(private val bar: ProgressBar? = null) {
    @Volatile private var isStopping = false

    fun begin(what: String, count: Int) {
        bar?.begin(what, count)
    }

    /** One step is done. Called by all threads of the work; throws [Stopped] when that must end with the finished part. */
    @Synchronized
    fun done() {
        if (isStopping) throw Stopped()
        bar?.step()
    }

    companion object {
        /** The time that the finished part may take to be written, which a busy machine may need. */
        private const val GRACE_MILLIS = 60_000L

        /** Runs [work]; without a progress bar if [isQuiet], or if standard error is no terminal. */
        fun <T> of(isQuiet: Boolean, work: (LongRun) -> T): T {
            val run = LongRun(if (isQuiet) null else ProgressBar.onTerminal())
            val worker = Thread.currentThread()
            val hook = Thread {
                run.isStopping = true
                worker.join(GRACE_MILLIS)
            }
            Runtime.getRuntime().addShutdownHook(hook)
            try {
                return work(run)
            } finally {
                run.bar?.close()
                if (!run.isStopping) remove(hook)
            }
        }

        private fun remove(hook: Thread) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook)
            } catch (_: IllegalStateException) {
                // The program is going already, and waits for this thread.
            }
        }
    }
}

/** Long work was asked to end before its time. */
internal class Stopped : RuntimeException("stopped", null, false, false)
