package dev.reprise.java

import dev.reprise.coroutines.shell.Waiter

/** The waiter of a line for permits that lets [time] pass. In Kotlin, since Java sees no `kotlin.time.Duration`. */
fun waiterOf(time: VirtualTime): Waiter = Waiter { time.pass(it.inWholeNanoseconds) }
