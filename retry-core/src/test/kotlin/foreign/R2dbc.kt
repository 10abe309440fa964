package io.r2dbc.spi

/** These stand for the exceptions of these names, of which only the text is like the real ones'. */
abstract class R2dbcException(private val state: String?, private val code: Int) : RuntimeException("what happened") {
    override fun toString(): String = "${javaClass.name}:" + (if (code == 0) "" else " [$code]") +
        (if (state == null) "" else " [$state]") + " $message"
}

abstract class R2dbcTransientException(state: String?, code: Int) : R2dbcException(state, code)

open class R2dbcRollbackException(state: String? = null, code: Int = 0) : R2dbcTransientException(state, code)

open class R2dbcTimeoutException(state: String? = null, code: Int = 0) : R2dbcTransientException(state, code)

open class R2dbcTransientResourceException(state: String? = null, code: Int = 0) : R2dbcTransientException(state, code)

open class R2dbcNonTransientResourceException(state: String? = null, code: Int = 0) : R2dbcException(state, code)
