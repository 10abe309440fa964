package dev.reprise.grpc

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf
import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator
import io.grpc.netty.shaded.io.netty.util.ResourceLeakDetector
import io.grpc.netty.shaded.io.netty.util.ResourceLeakDetectorFactory
import java.util.concurrent.atomic.AtomicInteger

/** Counts the buffers of Netty that were collected without a release. Every buffer that is made after [watch] is tracked. */
internal object BufferLeaks : ResourceLeakDetectorFactory() {
    private val seen = AtomicInteger()

    fun watch() {
        setResourceLeakDetectorFactory(this)
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID)
    }

    /** Returns how many buffers have leaked since the last call of this. */
    fun collect(): Int {
        repeat(5) {
            System.gc()
            // The garbage collector queues what it found a little later, and a detector looks there when it tracks.
            Thread.sleep(20)
            PooledByteBufAllocator.DEFAULT.buffer(1).release()
        }
        return seen.getAndSet(0)
    }

    fun leakOne() {
        check(PooledByteBufAllocator.DEFAULT.directBuffer(1).writeByte(1).isReadable)
    }

    @Deprecated("abstract in Netty, and so not to be left out")
    override fun <T : Any> newResourceLeakDetector(
        resource: Class<T>,
        samplingInterval: Int,
        maxActive: Long,
    ): ResourceLeakDetector<T> = Counting(resource, samplingInterval)

    private class Counting<T : Any>(resource: Class<T>, samplingInterval: Int) :
        ResourceLeakDetector<T>(resource, samplingInterval) {
        private val isBuffer = resource == ByteBuf::class.java

        override fun needReport(): Boolean = true

        override fun reportTracedLeak(resourceType: String, records: String) = report()

        override fun reportUntracedLeak(resourceType: String) = report()

        private fun report() {
            if (isBuffer) seen.incrementAndGet()
        }
    }
}
