package dev.reprise.presets.config

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll

class ProfileFileTest :
    FunSpec({
        fun read(text: String, profile: String = "default", key: String = "max_attempts") =
            ProfileFile.parse(text, "config").property(profile, key)?.value

        fun refusal(text: String) = shouldThrow<ConfigException> { ProfileFile.parse(text, "config") }

        test("blanks, tabs, line ends and a byte order mark make no difference") {
            for (text in listOf(
                "[default]\nmax_attempts=5",
                "[default]\r\nmax_attempts = 5\r\n",
                "\uFEFF[default]\nmax_attempts\t=\t5\t\n",
                "[ default ]\n\n   \nmax_attempts =    5   ",
                "[\tdefault\t] # a comment\nmax_attempts = 5 ; another",
            )) {
                read(text) shouldBe "5"
            }
        }

        test("a comment begins in the first column, or after white space") {
            read("#[default]\n[default]\n;max_attempts = 4\nmax_attempts = 5 # six") shouldBe "5"
            read("[default]\nmax_attempts = 5#6") shouldBe "5#6"
            read("[default]\nmax_attempts = 5\t;6") shouldBe "5"
            read("[default]\nmax_attempts = # nothing") shouldBe null
        }

        test("a comment may follow a section's bracket at once, but stands in no section's name") {
            for (header in listOf(
                "[default]#c",
                "[default];c",
                "[default] #c",
                "[ default ];[x]",
                "[profile default]#]",
            )) {
                read("$header\nmax_attempts = 5") shouldBe "5"
            }
            // Java v2 refuses the whole file for such a name, botocore accepts it.
            read("[profile a#b]\nmax_attempts = 4\n[default]\nmax_attempts = 5") shouldBe "5"
            read("[profile a#b]\nmax_attempts = 4", "a#b") shouldBe null
            read("[profile \"a#b\"]\nmax_attempts = 4", "a#b") shouldBe "4"
            read("[default]\nkey = [a]#b", key = "key") shouldBe "[a]#b"
            refusal("[profile a #]\nmax_attempts = 4").source shouldBe "file config line 1"
            refusal("[default]x#c").source shouldBe "file config line 1"
        }

        test("a line that begins with white space continues the property before it") {
            read("[default]\ns3 =\n  max_attempts = 9\nretry_mode = x") shouldBe null
            read("[default]\nmax_attempts = 5\n   # only a comment\n") shouldBe "5"
            read("[default]\nkey = a\n b\n\n\tc = d", key = "key") shouldBe "a\nb\nc = d"
            read("[default]\nmax_attempts =\n ; only a comment\n") shouldBe null
            refusal("[default]\nmax_attempts =\n  5\n").source shouldBe "file config line 3"
        }

        test("only default and profile sections count, and quoted names may have any characters") {
            val text =
                "[x]\nmax_attempts = 1\n[profile x]\nmax_attempts = 2\n[profile \"ä ö\"]\nmax_attempts = 3\n" +
                    "[sso-session x]\nmax_attempts = 4\n[profilex]\nmax_attempts = 5\n[profile é]\nmax_attempts = 6\n"
            read(text, "x") shouldBe "2"
            read(text, "ä ö") shouldBe "3"
            read(text, "é") shouldBe null
            read(text) shouldBe null
        }

        test("sections and keys that come twice are one, the last counts; [profile default] hides [default]") {
            read("[default]\nmax_attempts=4\n[profile x]\n[default]\nmax_attempts=5") shouldBe "5"
            read("[profile default]\nmax_attempts=4\n[default]\nmax_attempts=5") shouldBe "4"
            read("[default]\nmax_attempts=5\n[profile default]\nretry_mode=legacy") shouldBe null
        }

        test("the case of keys does not count, and non-ASCII values are only values") {
            read("[default]\nMAX_ATTEMPTS = 5") shouldBe "5"
            read("[default]\nrégion = ü\nmax_attempts = 五") shouldBe "五"
        }

        test("what is neither section, property nor comment is refused with its line") {
            refusal("[default]\nx = 1\n[profile y\n").source shouldBe "file config line 3"
            refusal("max_attempts = 5").source shouldBe "file config line 1"
            refusal("[default]\n\nmax_attempts 5").source shouldBe "file config line 3"
            refusal("[default]\n max_attempts = 5").source shouldBe "file config line 2"
            // In sections of others everything goes.
            read("[services y]\nanything\n  goes\n[default]\nmax_attempts = 5") shouldBe "5"
        }

        test("any text is read or refused, and never fails otherwise") {
            val pieces = listOf(
                "[default]", "[profile x]", "[", "]", "=", "#", ";",
                " ", "\t", "\n", "\r\n", "\uFEFF", "k", "é", "\"",
            )
            val texts = Arb.list(Arb.element(pieces), 0..40).map { it.joinToString("") }
            for (arb in listOf(Arb.string(0..80), texts)) {
                checkAll(2_000, arb) { text ->
                    val failure = runCatching { ProfileFile.parse(text, "config") }.exceptionOrNull()
                    failure?.shouldBeInstanceOf<ConfigException>()
                }
            }
        }
    })
