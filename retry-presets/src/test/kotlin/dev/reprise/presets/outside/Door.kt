package dev.reprise.presets.outside

import dev.reprise.core.ErrorTable
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.http.ErrorCodes
import dev.reprise.core.shell.text.oneLine
import dev.reprise.core.shell.values.ErrorTable
import dev.reprise.core.shell.values.outcomeText
import dev.reprise.core.shell.values.read
import dev.reprise.core.shell.values.rules
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.botocore.RetryModel
import dev.reprise.presets.clock.ClockSkew
import dev.reprise.presets.config.AwsRetryConfig
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.ConfigSources
import dev.reprise.presets.document.PolicyFormatException
import kotlin.reflect.KClass

/** A place where text from outside comes in: what reads it, what may be thrown, and which shapes are hard for it. */
class Door(
    private val name: String,
    val documented: KClass<out Exception>? = null,
    val shapes: List<Shape>,
    /** How much it may allocate however short the text is; more where a short text may refer to one thing many times. */
    val bytesAtOnce: Long = 20_000_000,
    val read: (String) -> Any?,
) {
    override fun toString(): String = name

    private class Response(
        override val errorCode: String? = null,
        override val errorMessage: String? = null,
        override val body: ByteArray? = null,
        private val value: (String) -> String? = { null },
    ) : HttpOutcome() {
        override val status: Int get() = 400

        override fun header(name: String): String? = value(name)
    }

    private class Sources(
        private val value: (String) -> String? = { null },
        private val path: String? = null,
        private val text: String? = null,
    ) : ConfigSources {
        override fun property(name: String): String? = null

        override fun environment(name: String): String? = if (name == "AWS_CONFIG_FILE") path else value(name)

        override fun home(): String? = null

        override fun file(path: String): String? = text
    }

    companion object {
        private fun environment(name: String, overrides: ConfigOverrides = ConfigOverrides.NONE) =
            Door("environment $name", ConfigException::class, Shape.PLAIN + Shape.VALUES) { value ->
                AwsRetryConfig.resolve(null, overrides, Sources({ value.takeIf { _ -> it == name } }, text = "x"))
            }

        val ALL: List<Door> =
            listOf(
                Door("error code in a header", null, Shape.PLAIN + Shape.BODIES) { ErrorCodes.ofHeader(it) },
                Door("error code in a body", null, Shape.PLAIN + Shape.BODIES + Shape.JSON) {
                    ErrorCodes.ofBody(it.encodeToByteArray())
                },
                Door("text of a failure", null, Shape.PLAIN + Shape.URLS) { oneLine(IllegalStateException(it)) },
                Door("text of a response", null, Shape.PLAIN + Shape.URLS) { outcomeText(Response(errorCode = it)) },
                Door("error table", null, Shape.PLAIN) {
                    ErrorTable(ErrorTable.STANDARD.rules, dropsStatus = true).classifyResult(Response("400 $it", it))
                },
                Door("checksum", null, Shape.PLAIN + Shape.VALUES) { text ->
                    Crc32Check().classifyResult(Response(body = text.encodeToByteArray()) { text })
                },
                Door("clock skew", null, Shape.PLAIN + Shape.VALUES) { text ->
                    ClockSkew.STANDARD.classifyResult(Response("RequestExpired") { text })
                },
                Door("policy document", PolicyFormatException::class, Shape.PLAIN + Shape.JSON + Shape.URLS) {
                    PolicyJson.read(it)
                },
                Door(
                    "retry model",
                    PolicyFormatException::class,
                    Shape.PLAIN + Shape.JSON + Shape.MODELS,
                    bytesAtOnce = 150_000_000,
                ) { RetryModel.read(it) },
                Door("profile file", ConfigException::class, Shape.PLAIN + Shape.PROFILES + Shape.URLS) {
                    AwsRetryConfig.resolve(sources = Sources(path = "config", text = it))
                },
                Door("path of a profile file", ConfigException::class, Shape.PLAIN + Shape.URLS) {
                    AwsRetryConfig.resolve(sources = Sources(path = it, text = "x"))
                },
                environment("AWS_RETRY_MODE"),
                environment("AWS_MAX_ATTEMPTS"),
                environment("AWS_PROFILE"),
                environment("AWS_NEW_RETRIES_2026", ConfigOverrides { sdkSwitch = true }),
                Door("preset's name", IllegalArgumentException::class, Shape.PLAIN) { Presets.named(it) },
                Door("service's name", IllegalArgumentException::class, Shape.PLAIN) {
                    Presets.named("standard-2.1", it)
                },
            ) + ServerDelayHeader.entries.map { header ->
                Door("header $header", null, Shape.PLAIN + Shape.VALUES) { text -> header.read(Response { text }) }
            }
    }
}
