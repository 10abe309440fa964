package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import okhttp3.tls.HandshakeCertificates
import io.ktor.client.engine.apache5.Apache5 as Apache5Engine
import io.ktor.client.engine.cio.CIO as CIOEngine
import io.ktor.client.engine.java.Java as JavaEngine
import io.ktor.client.engine.okhttp.OkHttp as OkHttpEngine
import java.net.http.HttpClient as JdkClient

/** What the tests over real sockets run on; the retries of their own are off where they can be. */
internal enum class Engine(
    /** Sends a GET again, and tells nobody, whose connection or stream ends before a byte of the answer came. */
    val repeatsUnanswered: Boolean = false,
    /** Speaks HTTP/2 over TLS. */
    val speaksHttp2: Boolean = false,
    /** Sends `Expect: 100-continue` when asked to. */
    val asksFirst: Boolean = true,
    /** Knows `socketTimeoutMillis` of `HttpTimeout`. */
    val knowsSocketTimeouts: Boolean = true,
) {
    CIO {
        override fun client(trust: HandshakeCertificates?, configure: HttpClientConfig<*>.() -> Unit) =
            HttpClient(CIOEngine) {
                engine { https { trustManager = trust?.trustManager } }
                configure()
            }
    },

    OkHttp(speaksHttp2 = true) {
        override fun client(trust: HandshakeCertificates?, configure: HttpClientConfig<*>.() -> Unit) =
            HttpClient(OkHttpEngine) {
                engine {
                    config {
                        retryOnConnectionFailure(false)
                        trust?.run { sslSocketFactory(sslSocketFactory(), trustManager) }
                    }
                }
                configure()
            }
    },

    Java(repeatsUnanswered = true, speaksHttp2 = true, asksFirst = false, knowsSocketTimeouts = false) {
        override fun client(trust: HandshakeCertificates?, configure: HttpClientConfig<*>.() -> Unit) =
            HttpClient(JavaEngine) {
                engine {
                    protocolVersion = JdkClient.Version.HTTP_2
                    config { trust?.run { sslContext(sslContext()) } }
                }
                configure()
            }
    },

    Apache5(speaksHttp2 = true) {
        override fun client(trust: HandshakeCertificates?, configure: HttpClientConfig<*>.() -> Unit) =
            HttpClient(Apache5Engine) {
                engine {
                    sslContext = trust?.sslContext()
                    customizeClient { disableAutomaticRetries() }
                }
                configure()
            }
    }, ;

    /** A client on this engine that trusts [trust], or else what the JDK does. */
    abstract fun client(trust: HandshakeCertificates? = null, configure: HttpClientConfig<*>.() -> Unit): HttpClient
}
