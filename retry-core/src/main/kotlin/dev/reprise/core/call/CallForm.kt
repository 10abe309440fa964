package dev.reprise.core.call

/** What a call is to give: the results of its attempts, which are of a [kind], or an outcome around one of them. */
internal class CallForm private constructor(val kind: ResultKind, val isOutcome: Boolean) {
    companion object {
        private val plain = ResultKind.entries.map { CallForm(it, isOutcome = false) }
        private val outcomes = ResultKind.entries.map { CallForm(it, isOutcome = true) }

        /** The form of a call that gives a result of [kind] as it is. */
        fun of(kind: ResultKind): CallForm = plain[kind.ordinal]

        /** The form of a call that gives a [RetryOutcome][dev.reprise.core.RetryOutcome] with a result of [kind]. */
        fun outcomeOf(kind: ResultKind): CallForm = outcomes[kind.ordinal]
    }
}
