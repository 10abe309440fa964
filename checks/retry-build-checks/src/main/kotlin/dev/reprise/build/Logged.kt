package dev.reprise.build

import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** Returns the records that [block] makes [logger] log, and keeps them from the console. */
fun logged(logger: String, block: () -> Unit): List<LogRecord> {
    val records = mutableListOf<LogRecord>()
    val handler = object : Handler() {
        override fun publish(record: LogRecord) {
            synchronized(records) { records += record }
        }

        override fun flush() = Unit

        override fun close() = Unit
    }
    val target = Logger.getLogger(logger)
    target.useParentHandlers = false
    target.addHandler(handler)
    try {
        block()
    } finally {
        target.removeHandler(handler)
        target.useParentHandlers = true
    }
    return records
}
