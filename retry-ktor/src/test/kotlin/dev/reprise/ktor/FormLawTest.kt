package dev.reprise.ktor

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.byte
import io.kotest.property.arbitrary.byteArray
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.constant
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import io.ktor.client.request.forms.ChannelProvider
import io.ktor.client.request.forms.FormBuilder
import io.ktor.client.request.forms.InputProvider
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.client.request.forms.formData
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.streams.asInput
import java.io.ByteArrayInputStream

/** A form can be sent again if and only if each of its parts is made anew, whatever is in it and however much was sent. */
class FormLawTest :
    FunSpec({
        // Also contents that look the same wherever one begins to read.
        val contents = Arb.choice(
            Arb.byteArray(Arb.int(1..40_000), Arb.byte()),
            Arb.byteArray(Arb.int(1..40_000), Arb.constant(0)),
        )

        suspend fun canBeSentAgain(build: FormBuilder.() -> Unit) =
            MultiPartFormDataContent(formData(build)).canBeSentAgain()

        test("a part that opens its content anew can be sent again") {
            checkAll(50, contents) { content ->
                canBeSentAgain {
                    append("text", "1")
                    append("stream", InputProvider { ByteArrayInputStream(content).asInput() })
                    append("channel", ChannelProvider { ByteReadChannel(content) })
                    append("bytes", content)
                } shouldBe true
            }
        }

        test("views of one stream cannot, however much of it was sent and whatever it holds") {
            checkAll(50, contents, Arb.int(0..40_000)) { content, sent ->
                val stream = ByteArrayInputStream(content)
                stream.skip(sent.toLong())

                canBeSentAgain {
                    append("text", "1")
                    append("stream", InputProvider { stream.asInput() })
                } shouldBe false
            }
        }

        test("one stream or one channel cannot") {
            checkAll(50, contents) { content ->
                val input = ByteArrayInputStream(content).asInput()
                canBeSentAgain { append("stream", InputProvider { input }) } shouldBe false

                val channel = ByteReadChannel(content)
                canBeSentAgain { append("channel", ChannelProvider { channel }) } shouldBe false
            }
        }

        test("what is too long to be looked at, or never ends, is not sent again") {
            val long = ByteArray(9 shl 20)
            canBeSentAgain { append("a", InputProvider { ByteArrayInputStream(long).asInput() }) } shouldBe false

            val endless = object : java.io.InputStream() {
                override fun read(): Int = 1
            }
            canBeSentAgain { append("a", InputProvider { endless.asInput() }) } shouldBe false
        }
    })
