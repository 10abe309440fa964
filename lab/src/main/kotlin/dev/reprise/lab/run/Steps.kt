package dev.reprise.lab.run

/** Hears how far long work is, and may stop it. Safe for any number of threads. */
internal interface Steps {
    /** [what] begins now, and will take [count] steps. */
    fun begin(what: String, count: Int)

    /**
     * One step is done.
     *
     * @throws Stopped when the work must end here, with the finished part
     */
    fun done()

    /** For runs whose steps are not shown. */
    object Unseen : Steps {
        override fun begin(what: String, count: Int) = Unit

        override fun done() = Unit
    }
}

/** Long work was asked to end before its time. */
internal class Stopped : RuntimeException("stopped", null, false, false)
