package dev.reprise.redis

import java.io.IOException
import java.net.ServerSocket
import java.net.Socket
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.random.Random

/** A real Redis server, from the jar of embedded-redis, on a free port of this machine. Closing kills it. */
internal class RedisProcess(
    vararg options: String,
    val port: Int = freePort(),
    private val folder: Path = newFolder(),
) : AutoCloseable {
    private val command = listOf(binary.toString(), *options)
    private var process = begin()

    val url: String get() = "redis://127.0.0.1:$port"

    /** As `kill -9`. */
    fun kill() {
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS)
    }

    /** Begins again on the same port, with nothing of what it had. */
    fun restart() {
        kill()
        process = begin()
    }

    /** Stands still, with all connections open. */
    fun pause() = signal("STOP")

    fun resume() = signal("CONT")

    override fun close() {
        kill()
        folder.toFile().deleteRecursively()
    }

    private fun signal(name: String) {
        check(ProcessBuilder("kill", "-$name", process.pid().toString()).start().waitFor() == 0) { "kill -$name" }
    }

    private fun begin(): Process {
        val arguments = if (command.any { it == "--sentinel" }) {
            command
        } else {
            listOf(command[0], "--port", "$port", "--bind", "127.0.0.1", "--save", "", "--dir", folder.toString()) +
                command.drop(1)
        }
        val log = folder.resolve("log").toFile()
        fun start(): Process {
            val begun = ProcessBuilder(arguments).redirectErrorStream(true).redirectOutput(log).start()
            Runtime.getRuntime().addShutdownHook(Thread { begun.destroyForcibly() })
            return begun
        }
        var begun = start()
        val end = System.nanoTime() + 60_000_000_000
        while (true) {
            if (!begun.isAlive) {
                // Another process had the port, to look whether it is free.
                check("Address in use" in log.readText() && System.nanoTime() < end) { log.readText() }
                begun = start()
            }
            try {
                // An answer, for another process may look just now whether the port is free.
                Socket("127.0.0.1", port).use {
                    it.soTimeout = 1_000
                    it.getOutputStream().write("PING\r\n".toByteArray())
                    if (it.getInputStream().read() >= 0) return begun
                }
            } catch (e: IOException) {
                if (System.nanoTime() > end) throw e
                Thread.onSpinWait()
            }
        }
    }

    companion object {
        private val binary: Path by lazy {
            val arch = if (System.getProperty("os.arch") == "aarch64") "arm64" else "amd64"
            val os = if (System.getProperty("os.name").startsWith("Mac")) "darwin" else "linux"
            val file = Files.createTempFile("redis-server", "")
            RedisProcess::class.java.getResourceAsStream("/redis-server-7.0.15-$os-$arch")!!.use {
                Files.write(file, it.readBytes())
            }
            file.toFile().setExecutable(true)
            file.toFile().deleteOnExit()
            file
        }

        fun newFolder(): Path = Files.createTempDirectory("redis")

        /** Below the ports that systems give to connections: those would take it while the server is down. */
        fun freePort(): Int = generateSequence { Random.nextInt(10_000, 32_000) }.first { port ->
            try {
                ServerSocket(port).close()
                true
            } catch (_: IOException) {
                false
            }
        }
    }
}
