package dev.reprise.build

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject

/** The recorded cases of other libraries, which stand here once for all modules. */
object Vectors {
    /** The JSON file called [name]. A module that reads it has kotlinx-serialization among its own test dependencies. */
    fun read(name: String): JsonObject = Json.parseToJsonElement(text(name)).jsonObject

    /** The file called [name]. */
    fun text(name: String): String =
        checkNotNull(Vectors::class.java.getResource("/vectors/$name")) { "no vectors named $name" }.readText()
}
