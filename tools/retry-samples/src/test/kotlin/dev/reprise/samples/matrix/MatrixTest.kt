package dev.reprise.samples.matrix

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import java.nio.file.Path
import kotlin.io.path.readText

/** Public members that are for those who write a shell, behind `ShellApi`: the dump does not tell. */
private val FOR_SHELLS =
    setOf("ABSENT", "UNREADABLE", "STOP", "isTimed", "within", "repeated", "state", "watcherOr", "read", "warn")
private val SHELL_TYPES =
    Regex("""/(call|machine|shell)/|/(SendRateState|RateWatcher|NanosKt|NoPermit.WaitAtMost)\b""")

/** What the compiler makes, and what every object has. */
private val EVERYWHERE = setOf("<init>", "equals", "hashCode", "toString", "values", "valueOf", "entries", "invoke", "INSTANCE", "Companion")

private val MEMBER = Regex("""^\t.*\b(?:fun|field) (\S+)""")

class MatrixTest :
    FunSpec({
        val members = buildMap<String, MutableSet<String>> {
            var type = ""
            for (line in Path.of("../../retry-core/api/retry-core.api").readText().lines()) {
                if (line.startsWith("public ")) type = line.substringAfter("dev/reprise/core/").substringBefore(' ')
                val name = MEMBER.find(line)?.groupValues?.get(1) ?: continue
                if (!SHELL_TYPES.containsMatchIn("/$type")) getOrPut(type) { mutableSetOf() } += inKotlin(name)
            }
        }

        test("the matrix for Kotlin names every public member of retry-core") {
            val source = Path.of("src/test/kotlin/dev/reprise/samples/matrix/KotlinMatrix.kt").readText()
            val named = Regex("""\w+""").findAll(source).map { it.value }.toSet()
            members.keys shouldHaveAtLeastSize 100
            members.flatMap { (type, names) ->
                (names - named - EVERYWHERE - FOR_SHELLS).filterNot { it.endsWith("Nanos") }.map { "$type: $it" }
            }.shouldBeEmpty()
        }
    })

private fun inKotlin(name: String): String {
    val plain = name.substringBefore('-').substringBefore('$')
    val isAccessor = plain.length > 3 && (plain.startsWith("get") || plain.startsWith("set")) && plain[3].isUpperCase()
    return if (isAccessor) plain.substring(3).replaceFirstChar { it.lowercase() } else plain
}
