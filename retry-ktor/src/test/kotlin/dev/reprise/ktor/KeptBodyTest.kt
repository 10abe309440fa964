package dev.reprise.ktor

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.byte
import io.kotest.property.arbitrary.byteArray
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import io.ktor.utils.io.ByteChannel
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.availableForRead
import io.ktor.utils.io.cancel
import io.ktor.utils.io.readAvailable
import io.ktor.utils.io.toByteArray
import io.ktor.utils.io.writeFully
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.yield
import java.io.IOException

class KeptBodyTest :
    FunSpec({
        val bodies = Arb.byteArray(Arb.int(0..20_000), Arb.byte())

        test("any number of readers get the whole body, however it comes and however they take turns") {
            checkAll(100, bodies, Arb.int(1..4), Arb.list(Arb.int(1..9_000), 1..5)) { bytes, readers, parts ->
                runTest {
                    val source = ByteChannel()
                    val body = KeptBody(source, bound = 20_000)
                    val all = List(readers) { async { body.open().toByteArray() } }
                    launch {
                        var from = 0
                        var part = 0
                        while (from < bytes.size) {
                            val end = minOf(bytes.size, from + parts[part++ % parts.size])
                            source.writeFully(bytes, from, end)
                            source.flush()
                            yield()
                            from = end
                        }
                        source.flushAndClose()
                    }
                    for (read in all.awaitAll()) read shouldBe bytes
                    body.open().toByteArray() shouldBe bytes
                }
            }
        }

        virtual("nothing is read before a reader asks, and no more than it asks for") {
            val source = ByteReadChannel(ByteArray(10_000))
            val body = KeptBody(source, bound = 20_000)
            val reader = body.open()
            source.availableForRead shouldBe 10_000
            reader.readAvailable(ByteArray(10), 0, 10) shouldBe 10
            source.availableForRead shouldBe 10_000 - 4_096
        }

        virtual("a reader that has had enough leaves the others what there is") {
            val body = KeptBody(ByteReadChannel(ByteArray(10_000) { 1 }), bound = 20_000)
            val first = body.open()
            first.readAvailable(ByteArray(10), 0, 10)
            first.cancel()
            first.isClosedForRead shouldBe true
            shouldThrow<IOException> { first.toByteArray() }
            body.open().toByteArray() shouldBe ByteArray(10_000) { 1 }
        }

        virtual("a body beyond the bound can be read to its end once, and the second reader is told so") {
            val bytes = ByteArray(10_000) { it.toByte() }
            val body = KeptBody(ByteReadChannel(bytes), bound = 4_096)
            body.open().toByteArray() shouldBe bytes
            shouldThrow<IOException> { body.open().toByteArray() }.message shouldBe
                "a body of more than 4096 bytes can be read only once"
        }

        virtual("a body that breaks off does so for every reader") {
            val source = ByteChannel()
            source.writeFully(ByteArray(100))
            source.flush()
            source.cancel(IOException("reset"))
            val body = KeptBody(source, bound = 4_096)
            repeat(2) { shouldThrow<IOException> { body.open().toByteArray() } }
        }

        virtual("an empty body ends at once") {
            val body = KeptBody(ByteReadChannel(ByteArray(0)), bound = 4_096)
            body.open().toByteArray().size shouldBe 0
            body.open().awaitContent() shouldBe false
        }
    })
