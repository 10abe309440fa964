package dev.reprise.spring.http

import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.HttpRequest
import java.net.URI

/**
 * The request of one attempt, with the headers [marks] by which servers recognize a retry. Its headers and attributes are
 * copies, since interceptors further in change them, and would change them once for each attempt.
 */
internal class AttemptRequest(private val asked: HttpRequest, marks: Map<String, String>) : HttpRequest {
    private val headers = HttpHeaders().apply {
        addAll(asked.headers)
        setAll(marks)
    }
    private val attributes = HashMap(asked.attributes).apply { put(INSIDE, true) }

    override fun getMethod(): HttpMethod = asked.method

    override fun getURI(): URI = asked.uri

    override fun getHeaders(): HttpHeaders = headers

    override fun getAttributes(): MutableMap<String, Any> = attributes

    companion object {
        /** The attribute of a request that is an attempt. */
        const val INSIDE: String = "dev.reprise.inside"

        /** Throws if a request with these [attributes] is an attempt already: the attempts would multiply. */
        fun checkOutside(attributes: Map<String, Any?>) = check(attributes[INSIDE] == null) {
            "a request passes two of Reprise's interceptors or request factories: " +
                "their attempts would multiply, remove one"
        }
    }
}
