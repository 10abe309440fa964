package dev.reprise.differential

import com.amazonaws.AmazonServiceException
import com.amazonaws.ClientConfiguration
import com.amazonaws.DefaultRequest
import com.amazonaws.SdkBaseException
import com.amazonaws.http.AmazonHttpClient
import com.amazonaws.http.ExecutionContext
import com.amazonaws.http.HttpMethodName
import com.amazonaws.http.HttpResponse
import com.amazonaws.http.HttpResponseHandler
import com.amazonaws.http.apache.client.impl.ConnectionManagerAwareHttpClient
import com.amazonaws.internal.TokenBucket
import com.amazonaws.retry.PredefinedBackoffStrategies.ExponentialBackoffStrategy
import com.amazonaws.retry.PredefinedRetryPolicies
import com.amazonaws.retry.RetryMode
import com.amazonaws.retry.RetryPolicy
import com.amazonaws.retry.RetryUtils
import com.amazonaws.util.CapacityManager
import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.presets.Presets
import org.apache.http.HttpVersion
import org.apache.http.message.BasicHttpResponse
import java.io.IOException
import java.lang.reflect.Proxy
import java.net.SocketTimeoutException
import java.net.URI
import kotlin.time.Duration.Companion.milliseconds
import dev.reprise.core.RetryPolicy as ReprisePolicy

/** The HTTP client of the AWS SDK for Java v1, above a transport that plays the script. */
class JavaV1(private val mode: RetryMode) : LivingSdk("AWS SDK for Java v1, ${mode.getName()}") {
    override val preset: ReprisePolicy
        get() = Presets.named(if (mode == RetryMode.LEGACY) "java-v1" else "java-v1-standard").with {
            backoff = Backoff.perKind(growing(BASE), growing(throttlingBase))
        }

    /** Standard mode has one backoff for all. */
    private val throttlingBase = if (mode == RetryMode.LEGACY) 500 else BASE

    private fun growing(millis: Int) =
        Backoff.exponential(millis.milliseconds, cap = CAP.milliseconds, jitter = Jitter.NONE)

    override fun play(script: Script): List<End> {
        val transport = Transport()
        val backoff = ExponentialBackoffStrategy(BASE, CAP)
        val throttled = ExponentialBackoffStrategy(throttlingBase, CAP)
        // Its waits are real: they are noted here, and it is told to wait for nothing.
        val noted = RetryPolicy.BackoffStrategy { request, failure, retries ->
            val own = if (RetryUtils.isThrottlingException(failure as SdkBaseException)) throttled else backoff
            transport.waits += own.delayBeforeNextRetry(request, failure, retries) * MILLI
            0
        }
        val condition = PredefinedRetryPolicies.DEFAULT_RETRY_CONDITION
        val configuration = ClientConfiguration()
            .withRetryPolicy(RetryPolicy(condition, noted, script.maxAttempts - 1, false, mode))
            .withMaxConsecutiveRetriesBeforeThrottling(script.capacity / COST)
        val client = AmazonHttpClient(configuration, transport.client, null, TokenBucket())
        val quota = capacity.get(client) as CapacityManager
        return script.calls.map { call ->
            transport.begin(call)
            val isSuccess = try {
                client.requestExecutionBuilder()
                    .request(request())
                    .executionContext(ExecutionContext())
                    .errorResponseHandler(ErrorReader)
                    .execute(Reader)
                true
            } catch (_: SdkBaseException) {
                false
            }
            End(isSuccess, transport.attempts, transport.waits.toList(), quota.availableCapacity())
        }
    }

    private fun request() = DefaultRequest<Any>("service").apply {
        endpoint = URI("http://127.0.0.1")
        httpMethod = HttpMethodName.GET
    }

    /** In the place of Apache's client. */
    private class Transport {
        val waits = mutableListOf<Long>()
        var attempts = 0
            private set
        private lateinit var call: ScriptedCall

        val client = Proxy.newProxyInstance(
            javaClass.classLoader,
            arrayOf(ConnectionManagerAwareHttpClient::class.java),
        ) { _, method, _ -> if (method.name == "execute") next() else null } as ConnectionManagerAwareHttpClient

        fun begin(call: ScriptedCall) {
            this.call = call
            waits.clear()
            attempts = 0
        }

        private fun next(): BasicHttpResponse = when (call.steps[attempts++].fault) {
            Fault.NONE -> response(200)
            Fault.TRANSIENT -> if (attempts % 2 == 0) response(503) else throw IOException("reset")
            Fault.TIMEOUT -> throw SocketTimeoutException("read timed out")
            Fault.THROTTLING -> response(THROTTLED)
            Fault.FINAL -> response(404)
        }

        private fun response(status: Int) = BasicHttpResponse(HttpVersion.HTTP_1_1, status, "")
    }

    private object Reader : HttpResponseHandler<String> {
        override fun handle(response: HttpResponse): String = "done"

        override fun needsConnectionLeftOpen(): Boolean = false
    }

    private object ErrorReader : HttpResponseHandler<SdkBaseException> {
        override fun handle(response: HttpResponse): SdkBaseException = AmazonServiceException("scripted").apply {
            statusCode = response.statusCode
            if (statusCode == THROTTLED) errorCode = "ThrottlingException"
        }

        override fun needsConnectionLeftOpen(): Boolean = false
    }

    private companion object {
        const val BASE = 100
        const val CAP = 20_000
        const val THROTTLED = 400

        /** What a retry costs: the SDK's capacity is a number of retries. */
        const val COST = 5

        val capacity = AmazonHttpClient::class.java.getDeclaredField("retryCapacity").apply { isAccessible = true }
    }
}
