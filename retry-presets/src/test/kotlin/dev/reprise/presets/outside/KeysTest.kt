package dev.reprise.presets.outside

import dev.reprise.build.rounds
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll

/** The length of an AWS secret key, and a token of 2,000 characters. */
private const val KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
private val TOKEN = "Zm9vYmFy".repeat(250)

private val PROFILE_PIECES =
    listOf("[default]\n", "[profile x]\n", "[", "]", "aws_secret_access_key", " = ", "\n", "\n  ", "# ") +
        listOf("max_attempts", "retry_mode", KEY, TOKEN)

private val JSON_PIECES =
    listOf("{", "}", "[", "]", ":", ",", "\"", "1", "\n", KEY, "\"$KEY\"", "\"$TOKEN\"") +
        listOf("aws_secret_access_key", "quota", "cost", "backoff", "preset").map { "\"$it\":" }

class KeysTest :
    FunSpec({
        fun door(name: String) = Door.ALL.find { "$it" == name }.shouldNotBeNull()

        suspend fun neverShows(door: Door, pieces: List<String>) {
            val texts = Arb.list(Arb.element(pieces), 0..14).map { it.joinToString("") }
            checkAll(rounds(few = 500, many = 3_000), texts) { text ->
                val result = runCatching { door.read(text) }
                door.shouldSay(result)
                val said = result.exceptionOrNull()?.stackTraceToString().orEmpty()
                withClue(text) {
                    for (secret in listOf(KEY, TOKEN)) said shouldNotContain secret.take(30)
                }
            }
        }

        test("no message shows a key that stands anywhere in a profile file") {
            neverShows(door("profile file"), PROFILE_PIECES)
        }

        test("no message shows a key that stands in a file that was taken for a policy or a retry model") {
            neverShows(door("policy document"), JSON_PIECES)
            neverShows(door("retry model"), JSON_PIECES)
        }

        test("no message shows a key that stands in a variable or where a password stands in a path") {
            for (name in listOf("AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS", "AWS_PROFILE", "AWS_NEW_RETRIES_2026")) {
                neverShows(door("environment $name"), listOf(KEY, TOKEN, "7", " ", "\n"))
            }
            val path = "https://u:$KEY@host/config"
            val ofPath = runCatching { door("path of a profile file").read(path) }.exceptionOrNull()?.message
            ofPath.shouldNotBeNull() shouldContain "https://"
            ofPath shouldNotContain "wJalr"
        }
    })
