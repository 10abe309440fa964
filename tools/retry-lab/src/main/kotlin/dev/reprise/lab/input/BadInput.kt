package dev.reprise.lab.input

import com.github.ajalt.clikt.core.CliktError

/** What a user asked for makes no sense; [message] is the one line that says so, with exit code 2. */
internal class BadInput(message: String) : CliktError(message, statusCode = 2)
