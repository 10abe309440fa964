package dev.reprise.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.metrics.Meter
import io.opentelemetry.api.trace.Tracer

/** The instrumentation scope of everything that this module tells: its name, and the version of the jar. */
internal object Scope {
    /** Written by the build; `null` where the resource is missing, as in a native image made without the metadata. */
    val version: String? by lazy {
        Scope::class.java.getResourceAsStream("version.txt")?.use { it.readBytes().decodeToString().trim() }
    }

    fun tracer(openTelemetry: OpenTelemetry): Tracer =
        openTelemetry.tracerBuilder("dev.reprise").apply { version?.let(::setInstrumentationVersion) }.build()

    fun meter(openTelemetry: OpenTelemetry): Meter =
        openTelemetry.meterBuilder("dev.reprise").apply { version?.let(::setInstrumentationVersion) }.build()
}
