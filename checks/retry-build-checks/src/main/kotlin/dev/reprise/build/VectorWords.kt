package dev.reprise.build

import java.net.SocketException
import java.net.SocketTimeoutException
import java.net.http.HttpConnectTimeoutException

/** The words of standard mode's test vectors, and their meanings. */
object VectorWords {
    /** The draw of a case that names none (`given_defaults`): each wait is its ceiling. */
    const val DRAW = 1.0

    /** The JVM's exception for [word], which is the `exception` of a response. */
    fun exception(word: String): Exception = when (word) {
        "read_timeout" -> SocketTimeoutException("Read timed out")
        "connect_timeout" -> HttpConnectTimeoutException("HTTP connect timed out")
        "connection_error" -> SocketException("Connection reset")
        else -> error("the vectors have an unknown exception: $word")
    }
}
