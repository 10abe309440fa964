package dev.reprise.core.shell.rate

import dev.reprise.core.shell.time.SECOND
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlin.math.roundToLong

internal fun vectors(name: String): JsonObject {
    val text = checkNotNull(Curve::class.java.getResource("/vectors/$name")) { "no vectors named $name" }.readText()
    return Json.parseToJsonElement(text).jsonObject
}

internal fun JsonObject.text(member: String): String = getValue(member).jsonPrimitive.content

internal fun JsonObject.number(member: String): Double = getValue(member).jsonPrimitive.double

internal fun nanos(seconds: Double): Long = (seconds * SECOND).roundToLong()
