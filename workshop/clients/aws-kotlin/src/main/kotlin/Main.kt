import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.sdk.kotlin.services.dynamodb.listTables
import aws.smithy.kotlin.runtime.auth.awscredentials.Credentials
import aws.smithy.kotlin.runtime.auth.awscredentials.CredentialsProvider
import aws.smithy.kotlin.runtime.collections.Attributes
import aws.smithy.kotlin.runtime.net.url.Url
import com.sun.net.httpserver.HttpServer
import dev.reprise.aws.kotlin.useReprise
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.atomic.AtomicInteger
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.seconds

private object Anyone : CredentialsProvider {
    override suspend fun resolve(attributes: Attributes) = Credentials("key", "secret")
}

/** A client of the SDK, whose first request fails. */
fun main() {
    val requests = AtomicInteger()
    val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
    server.createContext("/") { exchange ->
        exchange.requestBody.readAllBytes()
        val body = "{}".toByteArray()
        exchange.responseHeaders.add("Content-Type", "application/x-amz-json-1.0")
        exchange.sendResponseHeaders(if (requests.incrementAndGet() == 1) 500 else 200, body.size.toLong())
        exchange.responseBody.use { it.write(body) }
    }
    server.start()
    val client = DynamoDbClient {
        region = "us-east-1"
        endpointUrl = Url.parse("http://127.0.0.1:${server.address.port}")
        credentialsProvider = Anyone
        useReprise()
    }
    runBlocking { withTimeout(20.seconds) { client.listTables { } } }
    check(requests.get() == 2) { requests }
    println("aws-kotlin: passed on Kotlin ${KotlinVersion.CURRENT}, Java ${Runtime.version()}")
    exitProcess(0)
}
