package dev.reprise.core.shell.rate

import dev.reprise.core.shell.time.SECOND
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlin.math.roundToLong

internal fun JsonObject.rows(member: String): List<JsonObject> = getValue(member).jsonArray.map { it.jsonObject }

internal fun JsonObject.text(member: String): String = getValue(member).jsonPrimitive.content

internal fun JsonObject.number(member: String): Double = getValue(member).jsonPrimitive.double

internal fun nanos(seconds: Double): Long = (seconds * SECOND).roundToLong()
