package dev.reprise.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.trace.Tracer
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.data.SpanData
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor

/** A tracer whose spans can be looked at once they have ended. */
class Spans {
    private val exporter = InMemorySpanExporter.create()
    private val provider = SdkTracerProvider.builder()
        .addSpanProcessor(ResendCount)
        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
        .build()

    /** What a user hands to [RetryTracing]. */
    val openTelemetry: OpenTelemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build()

    val tracer: Tracer = provider.get("test")

    fun all(): List<SpanData> = exporter.finishedSpanItems

    fun named(name: String): List<SpanData> = all().filter { it.name == name }

    fun call(): SpanData = named("users.get").single()

    /** Each ended span as `parent/name`, in the order of their ends. */
    fun tree(): List<String> {
        val all = all()
        return all.map { span -> (all.find { it.spanId == span.parentSpanId }?.name ?: "-") + "/" + span.name }
    }
}
