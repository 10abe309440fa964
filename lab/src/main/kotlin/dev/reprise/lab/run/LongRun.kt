package dev.reprise.lab.run

/**
 * Long work of one command. It shows its progress, and Ctrl-C ends it at its next step instead of at once, so that the
 * finished part can be written. The program then has [GRACE_MILLIS] to do so, which a busy machine may need.
 */
internal class LongRun private constructor(private val bar: ProgressBar?) : Steps {
    @Volatile private var isStopping = false

    override fun begin(what: String, count: Int) {
        bar?.begin(what, count)
    }

    /** Called by all threads of the work. */
    @Synchronized
    override fun done() {
        if (isStopping) throw Stopped()
        bar?.step()
    }

    companion object {
        private const val GRACE_MILLIS = 60_000L

        /** Runs [work]; without a progress bar if [isQuiet], or if standard error is no terminal. */
        fun <T> of(isQuiet: Boolean, work: (Steps) -> T): T {
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
