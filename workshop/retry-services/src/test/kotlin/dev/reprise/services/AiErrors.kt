package dev.reprise.services

import com.anthropic.errors.AnthropicServiceException
import com.openai.errors.OpenAIServiceException
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope

object AiErrors : ResponseReader {
    override fun responseOf(failure: Throwable): HttpOutcome? = when (failure) {
        is AnthropicServiceException -> AiResponse(failure.statusCode()) { failure.headers().values(it) }
        is OpenAIServiceException -> AiResponse(failure.statusCode()) { failure.headers().values(it) }
        else -> null
    }

    override val resultScope get() = ResultScope.NONE
}

private class AiResponse(override val status: Int, private val headers: (String) -> List<String>) : HttpOutcome() {
    override fun header(name: String) = headers(name).firstOrNull()
}
