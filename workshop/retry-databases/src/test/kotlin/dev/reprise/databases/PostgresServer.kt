package dev.reprise.databases

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.io.path.readLines

/** A PostgreSQL of its own, on a port of its own, which can be killed and comes back with the same data. */
class PostgresServer : AutoCloseable {
    private val data: Path = Files.createTempDirectory("reprise-postgres")
    private var server = start(port = 0)

    val port: Int = server.port

    /** Where clients connect; through [port] of something in between, if that is not the server's own. */
    fun url(port: Int = this.port): String =
        "jdbc:postgresql://localhost:$port/postgres?user=postgres&sslmode=disable&gssEncMode=disable&" +
            // So that a COMMIT is sent as that word every time.
            "prepareThreshold=0"

    /**
     * Ends all processes of the server at once, as an immediate shutdown does: nothing is written, every client is cut off,
     * and the next start recovers from the log.
     */
    fun crash() {
        val postmaster = data.resolve("postmaster.pid").readLines().first().trim().toLong()
        val handle = ProcessHandle.of(postmaster).orElseThrow()
        check(ProcessBuilder("kill", "-QUIT", "$postmaster").start().waitFor() == 0)
        handle.onExit().get(30, TimeUnit.SECONDS)
    }

    /** Starts it again after a [crash]. */
    fun restart() {
        server.close()
        server = start(port)
    }

    override fun close() {
        server.close()
        data.toFile().deleteRecursively()
    }

    private fun start(port: Int): EmbeddedPostgres = EmbeddedPostgres.builder()
        .setPort(port)
        .setDataDirectory(data)
        .setCleanDataDirectory(false)
        // Off by default here, and then a server that is killed forgets transactions that it has told as committed.
        .setServerConfig("synchronous_commit", "on")
        .setServerConfig("fsync", "on")
        // A deadlock is looked for after this; 1 s by default.
        .setServerConfig("deadlock_timeout", "20ms")
        .setServerConfig("max_connections", "40")
        .start()
}
