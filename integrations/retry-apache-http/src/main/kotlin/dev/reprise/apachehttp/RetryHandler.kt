package dev.reprise.apachehttp

import org.apache.hc.client5.http.classic.ExecChain
import org.apache.hc.client5.http.classic.ExecChainHandler
import org.apache.hc.core5.http.ClassicHttpRequest
import org.apache.hc.core5.http.ClassicHttpResponse

/** The outermost element of a client's chain, below which each attempt goes. */
internal class RetryHandler(private val retries: ApacheRetries) : ExecChainHandler {
    override fun execute(request: ClassicHttpRequest, scope: ExecChain.Scope, chain: ExecChain): ClassicHttpResponse {
        check(scope.execRuntime !is AttemptRuntime) {
            "retries were added to a client twice, their attempts would multiply: add them once"
        }
        return Exchange(retries, request, scope, chain).execute()
    }
}
