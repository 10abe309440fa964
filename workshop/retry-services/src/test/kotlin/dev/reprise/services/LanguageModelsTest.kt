package dev.reprise.services

import com.anthropic.client.AnthropicClient
import com.anthropic.client.okhttp.AnthropicOkHttpClient
import com.anthropic.models.messages.MessageCreateParams
import com.openai.client.OpenAIClient
import com.openai.client.okhttp.OpenAIOkHttpClient
import com.openai.models.chat.completions.ChatCompletionCreateParams
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.coroutines.Retrier
import dev.reprise.test.Recorder
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import kotlinx.coroutines.future.await
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

/** What a call through each client returns. */
private class Model(val name: String, val good: String, val ask: suspend (String, Int, Retrier) -> String)

private const val CLAUDE = """{"id":"m","type":"message","role":"assistant","model":"model",
    "content":[{"type":"text","text":"hello","citations":null}],"stop_reason":"end_turn","stop_sequence":null,
    "usage":{"input_tokens":1,"output_tokens":1}}"""

private const val GPT = """{"id":"c","object":"chat.completion","created":1,"model":"model","choices":[{"index":0,
    "finish_reason":"stop","logprobs":null,"message":{"role":"assistant","content":"hello","refusal":null}}]}"""

private val question = MessageCreateParams.builder().model("model").maxTokens(10).addUserMessage("hi").build()

private val prompt = ChatCompletionCreateParams.builder().model("model").addUserMessage("hi").build()

private fun anthropic(url: String, retries: Int): AnthropicClient =
    AnthropicOkHttpClient.builder().apiKey("key").baseUrl(url).maxRetries(retries).build()

private fun openAi(url: String, retries: Int): OpenAIClient =
    OpenAIOkHttpClient.builder().apiKey("key").baseUrl(url).maxRetries(retries).build()

private val models = listOf(
    Model("Anthropic", CLAUDE) { url, retries, retrier ->
        val client = anthropic(url, retries)
        retrier { client.async().messages().create(question).await() }.content().first().asText().text()
    },
    Model("OpenAI", GPT) { url, retries, retrier ->
        val client = openAi(url, retries)
        retrier { client.async().chat().completions().create(prompt).await() }.choices().first().message().content()
            .get()
    },
)

private val SOON = mapOf("retry-after-ms" to "1")

class LanguageModelsTest :
    FunSpec({
        val policy = RetryPolicy.HTTP.with { classifyFirst(AiErrors) }

        for (model in models) {
            test("${model.name}: an overload and a throttle are retried, as fast as the server asks") {
                ScriptedServer(Answer(529, headers = SOON), Answer(429, headers = SOON), Answer(200, model.good)).use {
                    val recorder = Recorder()
                    model.ask(it.url, 0, Retrier(policy) { listener(recorder) }) shouldBe "hello"
                    it.requests shouldBe 3
                    recorder.call.attempts shouldBe 3
                }
            }

            test("${model.name}: without maxRetries(0) its attempts multiply with those of the retrier") {
                for ((retries, requests) in mapOf(0 to 3, 2 to 9)) {
                    ScriptedServer(Answer(503, headers = SOON)).use {
                        shouldThrow<RuntimeException> { model.ask(it.url, retries, Retrier(policy)) }
                        it.requests shouldBe requests
                    }
                }
            }

            test("${model.name}: a long Retry-After ends the call at once, and the trace says why") {
                ScriptedServer(Answer(429, headers = mapOf("Retry-After" to "3600"))).use {
                    val thrown = shouldThrow<RuntimeException> { model.ask(it.url, 0, Retrier(policy)) }
                    it.requests shouldBe 1
                    RetryTrace.of(thrown)!!.detail!! shouldStartWith "the server asks for a longer wait"
                }
            }

            test("${model.name}: a connection that breaks is retried") {
                ScriptedServer(Answer(200, isCut = true), Answer(200, model.good)).use {
                    model.ask(it.url, 0, Retrier(policy)) shouldBe "hello"
                    it.requests shouldBe 2
                }
            }

            test("${model.name}: a request that is wrong is not retried") {
                ScriptedServer(Answer(400)).use {
                    shouldThrow<RuntimeException> { model.ask(it.url, 0, Retrier(policy)) }
                    it.requests shouldBe 1
                }
            }

            test(
                "${model.name}: without the reader its exceptions are known by name, but not what the server asks for",
            ) {
                for ((status, attempts) in mapOf(429 to 3, 500 to 3, 529 to 3, 400 to 1)) {
                    ScriptedServer(Answer(status)).use {
                        val recorder = Recorder()
                        val retrier =
                            Retrier(RetryPolicy.STANDARD.with { fixedBackoff(1.milliseconds) }) { listener(recorder) }
                        shouldThrow<RuntimeException> { model.ask(it.url, 0, retrier) }
                        recorder.call.attempts shouldBe attempts
                    }
                }
            }
        }

        test("the page's client and retrier") {
            ScriptedServer(Answer(529, headers = SOON), Answer(200, CLAUDE)).use { server ->
                System.setProperty("anthropic.apiKey", "key")
                System.setProperty("anthropic.baseUrl", server.url)
                val client = AnthropicOkHttpClient.builder().fromEnv().maxRetries(0).build()
                val policy = RetryPolicy.HTTP.with { classifyFirst(AiErrors) }
                val retrier = Retrier(policy) { name = "anthropic" }

                val answer = retrier { client.async().messages().create(question).await() }

                answer.content().first().asText().text() shouldBe "hello"
                server.requests shouldBe 2
            }
        }

        test("a batch at the service's own pace") {
            // Each refusal makes the next request wait longer, in real time.
            ScriptedServer(Answer(429, headers = SOON), Answer(200, CLAUDE)).use { server ->
                val batch = policy.with { sendRate = SendRateSettings.STEADY }

                models.first().ask(server.url, 0, Retrier(batch)) shouldBe "hello"
                server.requests shouldBe 2
            }
        }

        test("a stream is opened again until it begins; one that breaks off is not asked for again") {
            val events = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":$ONE_LINE}\n\n"
            val stream = mapOf("Content-Type" to "text/event-stream")
            ScriptedServer(Answer(529, headers = SOON), Answer(200, events, stream, isCut = true)).use { server ->
                val client = anthropic(server.url, retries = 0)
                val seen = mutableListOf<String>()
                val retrier = Retrier(policy)

                val answer = retrier { client.messages().createStreaming(question) }
                val broken = shouldThrow<RuntimeException> {
                    answer.use { it.stream().forEach { event -> seen += event.toString() } }
                }

                generateSequence<Throwable>(broken) { it.cause }.any { it is IOException } shouldBe true
                seen.size shouldBe 1
                server.requests shouldBe 2
            }
        }
    })

private val ONE_LINE = CLAUDE.replace(Regex("\\s*\n\\s*"), "")
