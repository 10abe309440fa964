package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.lettuce.core.RedisClient
import io.lettuce.core.api.sync.RedisCommands
import java.time.Duration

/** The commands of a real server that lives as long as the spec. */
internal fun FunSpec.redis(): RedisCommands<String, String> {
    val server = RedisProcess()
    val client = RedisClient.create(server.url)
    afterSpec {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
        server.close()
    }
    return client.connect().sync()
}
