package dev.reprise.test

import dev.reprise.core.shell.time.MILLI
import dev.reprise.test.Dependency.Script
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.nanoseconds

/** One instance of the code under test, run once or more. */
internal class Trial(subject: Subject, private val cap: Int) {
    private val time = VirtualTime()
    private val current = Operation.CurrentCall()
    private val operation = subject.make(time, current)

    /** Runs the operation once, with calls that fail as [failure] says. */
    fun run(isCancelledAt: Int = 0, tellsApart: Boolean = false, failure: (Int) -> Throwable?): Run =
        run(Script(cap, isCancelledAt, tellsApart, failure), longest = 0)

    /**
     * Runs the operation once, and cancels it in its first wait, which is about [wait]. Returns what was
     * seen of it if it calls again, else `null`.
     */
    fun repeatsWhenCancelledIn(wait: Gap, failure: () -> Throwable): Run? {
        var dependency: Dependency? = null
        var callsUntil = Int.MAX_VALUE
        val script = Script(cap) { call ->
            if (call == 1) {
                // A wait that is drawn may be over by then: the one after it is as good.
                later(wait) {
                    dependency!!.cancel()
                    callsUntil = dependency!!.calls
                }
            }
            failure()
        }
        return run(script, wait.realWait) { dependency = it }.takeIf { dependency!!.calls > callsUntil }
    }

    private fun later(wait: Gap, task: () -> Unit) {
        if (wait.realWait == 0L) {
            time.after(1.nanoseconds) { task() }
        } else {
            thread(isDaemon = true, name = "fault-probe") {
                Thread.sleep(wait.realWait / MILLI / 3 + 1)
                task()
            }
        }
    }

    /** Runs the operation once. Watches for later calls as long as a wait of [longest] in real time. */
    fun run(script: Script, longest: Long, prepare: (Dependency) -> Unit = {}): Run {
        val dependency = Dependency(time, script).also(prepare)
        current.dependency = dependency
        val result = operation.run(dependency)
        val calls = dependency.calls
        goesOn(dependency)
        if (longest > 0 && !dependency.isStuck) {
            Thread.sleep(minOf(longest * 2 / MILLI + NOISE_MILLIS, MOST_MILLIS))
            goesOn(dependency)
        }
        return Run(dependency, result, calls)
    }

    /** Runs the operation twice at once. */
    fun runTwice(meeting: Meeting, failure: (Int) -> Throwable?): Both {
        val dependency = Dependency(time, Script(cap * 2, tellsApart = true, failure = failure))
        current.dependency = dependency
        val ends = operation.runTwice(dependency, meeting)
        return Both(dependency, ends, operation.gapsOfEach)
    }

    /** Lets all that is still to come happen. */
    private fun goesOn(dependency: Dependency) {
        var steps = 0
        while (!dependency.isRunaway && steps++ < MOST_STEPS) {
            // An exception of the code's task has no receiver: its operation has ended.
            if (!runCatching { time.step() }.getOrDefault(true)) return
        }
    }
}

/** The observations of one operation, which made so many [calls] until it ended. */
internal class Run(private val dependency: Dependency, val result: Result<Any?>, val calls: Int) {
    private val callsAfter = dependency.calls - calls
    val gaps: List<Gap> = dependency.gaps.take((calls - 1).coerceAtLeast(0))

    /** The numbers of the calls, from 0, that another one follows at once. */
    val undelayed: Set<Int> = gaps.indices.filterTo(mutableSetOf()) { gaps[it].isNone }
    val isRunaway = dependency.isRunaway
    val continues get() = callsAfter > 0
    val callsAt: List<Long> get() = dependency.callsAt.take(calls)
    private val waited: Long get() = gaps.sumOf { it.virtual + it.realWait }

    val text: String
        get() = "$calls calls, gaps $gaps ns, then ${result.exceptionOrNull() ?: result.getOrNull()}" +
            if (continues) ", then $callsAfter more calls" else ""

    fun threw(type: Class<*>): Boolean = causesOf(result).any { type.isInstance(it) }

    /** Whether [other] waits as long, as far as can be told. */
    fun isLike(other: Run) = gaps.size == other.gaps.size && gaps.zip(other.gaps).all { (a, b) -> a.isLike(b) }

    /** Whether this waits longer than [other], by more than noise. */
    fun isLongerThan(other: Run): Boolean {
        val noise = if (gaps.any { it.realWait > 0 }) Gap.NOISE else 0
        return waited > other.waited + noise
    }
}

/** Where on a thread the second of two operations runs: in a call of the first, or in the wait after it. */
internal class Meeting(val call: Int, val isInWait: Boolean) {
    companion object {
        /** Where two operations can meet that each go through [run]; fewer where that takes real time. */
        fun of(run: Run): List<Meeting> {
            val calls = if (run.gaps.any { it.realWait > 0 }) listOf(1) else (1..minOf(run.calls, MOST)).toList()
            return calls.flatMap { listOf(Meeting(it, isInWait = false), Meeting(it, isInWait = true)) }
                .filter { run.gaps.none { it.realWait > 0 } || !it.isInWait }
        }

        private const val MOST = 5
    }
}

/** The observations of two operations at once. */
internal class Both(
    private val dependency: Dependency,
    private val ends: List<Result<Any?>>,
    private val gapsOfEach: List<List<Gap>>?,
) {
    val calls = dependency.calls
    val areBoth get() = ends.size == 2
    val areDone get() = areBoth && ends.all { it.isSuccess }
    val values get() = ends.map { it.getOrNull() }

    /** Whether both ended with one and the same of the failures that were [made], each for one call. */
    fun share(made: List<Throwable>): Boolean {
        if (!areBoth || made.distinctBy(System::identityHashCode).size < made.size) return false
        val (first, second) = ends.map { end -> causesOf(end).filter { cause -> made.any { it === cause } } }
        return first.any { one -> second.any { it === one } }
    }

    /** Whether they called when each would have [alone], whose waits are virtual: real time between calls is the machine's. */
    fun waitAs(alone: Run): Boolean {
        val waits = alone.gaps.map { it.virtual }
        if (gapsOfEach != null) return gapsOfEach.all { gaps -> gaps.map { it.virtual } == waits }
        val begun = alone.callsAt.map { it - alone.callsAt.first() }
        val both = dependency.callsAt.map { it - dependency.callsAt.first() }
        return both.sorted() == begun.flatMap { listOf(it, it) }
    }
}

private fun causesOf(result: Result<Any?>) =
    generateSequence(result.exceptionOrNull()) { it.cause }.take(CAUSES).toList()

private const val CAUSES = 10

private const val NOISE_MILLIS = 20L
private const val MOST_MILLIS = 2_000L
private const val MOST_STEPS = 100_000
