package dev.reprise.samples

import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer

/** Runs [test] as if the environment named a region, credentials and a DynamoDB that replies with [codes]. */
internal suspend fun <T> withAwsService(codes: List<Int>, test: suspend (MockWebServer) -> T): T =
    MockWebServer().use { server ->
        codes.forEach { server.enqueue(MockResponse(code = it, body = """{"TableNames":["orders"]}""")) }
        server.start()
        val settings = mapOf(
            "aws.region" to "us-east-1",
            "aws.accessKeyId" to "id",
            "aws.secretAccessKey" to "secret",
            "aws.endpointUrl" to "http://${server.hostName}:${server.port}",
        )
        settings.forEach(System::setProperty)
        try {
            test(server)
        } finally {
            settings.keys.forEach(System::clearProperty)
        }
    }
