package dev.reprise.spring.http

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.http.HttpStatus
import org.springframework.http.client.ClientHttpResponse
import java.io.IOException
import java.io.InputStream
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.locks.ReentrantLock

/**
 * Like Spring's stream over Reactor Netty: closed during a read, it releases its connection only in a later read, after the
 * rest of the piece. Each read makes a [pause].
 */
private class NettyLike(private val pause: () -> Unit = {}) : InputStream() {
    private val lock = ReentrantLock()

    private var left = 20_000

    @Volatile
    private var isClosed = false

    @Volatile
    var hasLetGo = false
        private set

    override fun read(): Int {
        if (!lock.tryLock()) return -1
        try {
            if (isClosed && left-- == 0) {
                hasLetGo = true
                return -1
            }
            if (!isClosed) pause()
            return 'a'.code
        } finally {
            lock.unlock()
        }
    }

    override fun close() {
        isClosed = true
        if (!lock.tryLock()) return
        hasLetGo = true
        lock.unlock()
    }
}

private class Opening(private val opens: () -> InputStream) :
    ClientHttpResponse by RecordedResponse(HttpStatus.OK, ByteArray(0)) {
    override fun getBody(): InputStream = opens()
}

class WireTest :
    FunSpec({
        test("a body that is closed under its reader lets go when that leaves, and breaks") {
            val reads = CountDownLatch(1)
            val isClosed = CountDownLatch(1)
            val below = NettyLike {
                reads.countDown()
                isClosed.await()
            }
            val body = WireBody(below)
            val reader = CompletableFuture.supplyAsync { body.read() }
            reads.await()
            body.close()
            below.hasLetGo shouldBe false
            isClosed.countDown()
            shouldThrow<ExecutionException> { reader.get() }.cause!!::class shouldBe IOException::class
            below.hasLetGo shouldBe true
        }

        test("whenever a body is closed, it has let go when its reader and its closer are done") {
            repeat(2_000) { round ->
                val below = NettyLike { repeat(round % 50) { Thread.onSpinWait() } }
                val body = WireBody(below)
                val reader = CompletableFuture.runAsync { runCatching { body.read() } }
                body.close()
                reader.get()
                below.hasLetGo shouldBe true
            }
        }

        test("a closed body breaks, and is no end") {
            val body = WireBody("text".byteInputStream())
            body.close()
            shouldThrow<IOException> { body.read() }
            shouldThrow<IOException> { body.readAllBytes() }
        }

        test("a body that is being opened when its exchange is cut is closed") {
            val opens = CountDownLatch(1)
            val isCut = CountDownLatch(1)
            val first = NettyLike()
            var times = 0
            val response = Opening {
                // A second subscriber is refused.
                if (times++ > 0) throw IllegalStateException("one receiver only")
                opens.countDown()
                isCut.await()
                first
            }
            val wire = Wire(response)
            val reader = CompletableFuture.supplyAsync { wire.bodyOf(response) }
            opens.await()
            wire.cut()
            isCut.countDown()
            shouldThrow<IOException> { reader.get().read() }
            first.hasLetGo shouldBe true
        }
    })
