package dev.reprise.presets.config

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldNotContain
import java.io.File
import java.io.RandomAccessFile
import java.nio.file.Files

class AwsRetryConfigTest :
    FunSpec({
        test("each source stands before the next one, for each setting on its own") {
            val properties = mapOf("aws.retryMode" to "adaptive", "aws.maxAttempts" to "2")
            val environment = mapOf("AWS_RETRY_MODE" to "legacy", "AWS_MAX_ATTEMPTS" to "3")
            val files = mapOf(FakeSources.CONFIG to "[default]\nretry_mode = standard\nmax_attempts = 4\n")
            val code = ConfigOverrides.builder().retryMode(RetryMode.LEGACY).maxAttempts(1).build()

            fun find(overrides: ConfigOverrides, sources: ConfigSources) =
                AwsRetryConfig.resolve("dynamodb", overrides, sources).run { retryMode to maxAttempts }

            find(code, FakeSources(properties, environment, files)) shouldBe
                (Setting(RetryMode.LEGACY, "code") to Setting(1, "code"))
            find(ConfigOverrides.NONE, FakeSources(properties, environment, files)) shouldBe
                (Setting(RetryMode.ADAPTIVE, "property aws.retryMode") to Setting(2, "property aws.maxAttempts"))
            find(ConfigOverrides.NONE, FakeSources(emptyMap(), environment, files)) shouldBe
                (Setting(RetryMode.LEGACY, "environment AWS_RETRY_MODE") to Setting(3, "environment AWS_MAX_ATTEMPTS"))
            find(ConfigOverrides.NONE, FakeSources(files = files)) shouldBe
                (
                    Setting(RetryMode.STANDARD, "file /home/me/.aws/config line 2") to
                        Setting(4, "file /home/me/.aws/config line 3")
                    )
            find(ConfigOverrides { retryMode = RetryMode.LEGACY }, FakeSources()) shouldBe
                (Setting(RetryMode.LEGACY, "code") to Setting(9, "default of service dynamodb"))
            AwsRetryConfig.resolve(sources = FakeSources()).run { retryMode to maxAttempts } shouldBe
                (Setting(RetryMode.STANDARD, "default") to Setting(3, "default of standard mode"))
            // One setting from each.
            find(ConfigOverrides { maxAttempts = 8 }, FakeSources(environment = environment)) shouldBe
                (Setting(RetryMode.LEGACY, "environment AWS_RETRY_MODE") to Setting(8, "code"))
        }

        test("file and profile are settings themselves") {
            val files = mapOf(
                "/etc/aws" to "[profile a]\nmax_attempts = 5\n[profile b]\nmax_attempts = 6",
                "/home/me/own" to "[profile a]\nmax_attempts = 7",
            )
            val environment = mapOf("AWS_CONFIG_FILE" to "/etc/aws", "AWS_PROFILE" to "a")

            fun attempts(
                properties: Map<String, String> = emptyMap(),
                overrides: ConfigOverrides = ConfigOverrides.NONE,
            ) = AwsRetryConfig.resolve(null, overrides, FakeSources(properties, environment, files)).maxAttempts.value

            attempts() shouldBe 5
            attempts(mapOf("aws.profile" to "b")) shouldBe 6
            attempts(mapOf("aws.configFile" to "~/own")) shouldBe 7
            attempts(overrides = ConfigOverrides.builder().profile("b").build()) shouldBe 6
            attempts(overrides = ConfigOverrides.builder().configFile("~/own").build()) shouldBe 7
            attempts(mapOf("aws.profile" to "nobody")) shouldBe 3
        }

        test("a file and a profile that the code names must be there, as soon as a setting is looked for in them") {
            val sources = FakeSources.ofFile("[profile a]\nmax_attempts = 5")

            fun refusal(overrides: ConfigOverrides) =
                shouldThrow<ConfigException> { AwsRetryConfig.resolve(overrides = overrides, sources = sources) }.source

            refusal(ConfigOverrides.builder().profile("b").build()) shouldBe "profile b in file /home/me/.aws/config"
            refusal(ConfigOverrides.builder().configFile("/nowhere").build()) shouldBe "file /nowhere"
            refusal(ConfigOverrides.builder().configFile("/nowhere").profile("a").build()) shouldBe "file /nowhere"
            AwsRetryConfig.resolve(
                overrides = ConfigOverrides.builder().profile("a").build(),
                sources = sources,
            ).maxAttempts.value shouldBe 5
            val settled = ConfigOverrides.builder().retryMode(
                RetryMode.STANDARD,
            ).maxAttempts(2).profile("b").configFile("/nowhere").build()
            AwsRetryConfig.resolve(overrides = settled, sources = sources).maxAttempts.value shouldBe 2
        }

        test("a setting that is wrong is refused with its source, the rule and the value") {
            fun refusal(sources: ConfigSources) =
                shouldThrow<ConfigException> { AwsRetryConfig.resolve(sources = sources) }

            val ofEnvironment = refusal(FakeSources(environment = mapOf("AWS_RETRY_MODE" to "turbo")))
            ofEnvironment.source shouldBe "environment AWS_RETRY_MODE"
            ofEnvironment.rule shouldBe "must be one of legacy, standard, adaptive"
            ofEnvironment.value shouldBe "turbo"
            ofEnvironment.message shouldContain "environment AWS_RETRY_MODE: must be one of"

            refusal(FakeSources(mapOf("aws.maxAttempts" to "2147483648"))).source shouldBe "property aws.maxAttempts"
            refusal(FakeSources.ofFile("[default]\n\nmax_attempts = many # or few\n")).run {
                source shouldBe "file /home/me/.aws/config line 3"
                value shouldBe "many"
            }
        }

        test("a wrong value that a better source hides is not looked at") {
            val sources = FakeSources(mapOf("aws.maxAttempts" to "5"), mapOf("AWS_MAX_ATTEMPTS" to "abc"))
            AwsRetryConfig.resolve(sources = sources).maxAttempts.value shouldBe 5
        }

        test("the policy is the mode's preset with the attempts that were found") {
            fun policy(vararg environment: Pair<String, String>, service: String? = null) =
                RetryPolicy.fromEnvironment(service, sources = FakeSources(environment = environment.toMap()))

            policy() shouldBe RetryPolicy.STANDARD
            policy(service = "dynamodb") shouldBe Presets.named("standard-2.1", "dynamodb")
            policy("AWS_RETRY_MODE" to "adaptive") shouldBe Presets.named("adaptive-2.1")
            policy("AWS_RETRY_MODE" to "legacy", service = "dynamodb") shouldBe
                Presets.named("java-v2-legacy", "dynamodb")
            policy("AWS_MAX_ATTEMPTS" to "7", service = "dynamodb").maxAttempts shouldBe 7
        }

        test("the switch of the SDKs chooses the generation only if the code asks for it") {
            val off = FakeSources(environment = mapOf("AWS_NEW_RETRIES_2026" to "False"))

            AwsRetryConfig.resolve(sources = off).preset shouldBe "standard-2.1"
            AwsRetryConfig.resolve(overrides = ConfigOverrides { sdkSwitch = true }, sources = off).run {
                preset shouldBe "standard-2.0"
                generation.source shouldBe "environment AWS_NEW_RETRIES_2026"
            }
        }

        test("a switch that is neither true nor false is ignored, and hides no other") {
            fun generation(property: String?, environment: String?) = AwsRetryConfig.resolve(
                overrides = ConfigOverrides { sdkSwitch = true },
                sources = FakeSources(
                    properties = property?.let { mapOf("aws.newRetries2026" to it) }.orEmpty(),
                    environment = environment?.let { mapOf("AWS_NEW_RETRIES_2026" to it) }.orEmpty(),
                ),
            ).generation.toString()
            generation("yes", "false") shouldBe "2.0 (environment AWS_NEW_RETRIES_2026)"
            generation("yes", "1") shouldBe "2.1 (default)"
            generation(" TRUE ", "false") shouldBe "2.1 (property aws.newRetries2026)"
            generation(null, "FALSE") shouldBe "2.0 (environment AWS_NEW_RETRIES_2026)"
        }

        test("settings are written as JSON with value and source") {
            val json = AwsRetryConfig.resolve(
                sources = FakeSources(environment = mapOf("AWS_RETRY_MODE" to "standard")),
            ).toJson()

            json.toString() shouldContain
                """{"retryMode":{"value":"standard","source":"environment AWS_RETRY_MODE"},"maxAttempts":{"value":3,"""
        }

        test("the sources of the process read files, and a file that is not there is no file") {
            val folder = tempdir().toPath()
            val file = folder.resolve("config").toFile().apply { writeText("[default]\nmax_attempts = 6\n") }

            ConfigSources.system().file(file.path) shouldBe "[default]\nmax_attempts = 6\n"
            ConfigSources.system().file(folder.resolve("nothing").toString()) shouldBe null
        }

        test("only regular files are opened, the null device is an empty file") {
            val folder = tempdir().toPath()
            val pipe = folder.resolve("pipe")
            ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()

            fun refusal(path: Any) =
                shouldThrow<ConfigException> { ConfigSources.system().file(path.toString()) }.run { rule to value }

            refusal(folder) shouldBe ("must be a regular file" to "a directory")
            if (Files.exists(pipe)) refusal(pipe) shouldBe ("must be a regular file" to "a pipe or device")
            if (File("/dev/zero").exists()) refusal("/dev/zero").first shouldBe "must be a regular file"
            ConfigSources.system().file("/dev/null") shouldBe ""
            refusal("a\u0000b").first shouldBe "must be a path"
        }

        test("a file of more than 4 MiB is refused and not read to its end") {
            val file = tempdir().resolve("config")
            RandomAccessFile(file, "rw").use { it.setLength(ProfileFile.LONGEST + 1L) }
            shouldThrow<ConfigException> { ConfigSources.system().file(file.path) }.rule shouldBe ProfileFile.TOO_LONG

            RandomAccessFile(file, "rw").use { it.setLength(ProfileFile.LONGEST.toLong()) }
            ConfigSources.system().file(file.path)!!.length shouldBe ProfileFile.LONGEST

            RandomAccessFile(file, "rw").use { it.setLength(1L shl 33) }
            shouldThrow<ConfigException> { ConfigSources.system().file(file.path) }.rule shouldBe ProfileFile.TOO_LONG

            val ofOthers = FakeSources.ofFile("#".repeat(ProfileFile.LONGEST + 1))
            shouldThrow<ConfigException> { AwsRetryConfig.resolve(sources = ofOthers) }.rule shouldBe
                ProfileFile.TOO_LONG
            AwsRetryConfig.resolve(
                sources = FakeSources.ofFile("#".repeat(ProfileFile.LONGEST)),
            ).maxAttempts.value shouldBe 3
        }

        test("what stands in a broken or continued line of the file is never shown") {
            val key = "wJalrXUtnFEMI/K7MDENG"
            for (text in listOf(
                "aws_secret_access_key = $key",
                "[default]\naws_secret_access_key $key",
                "[default]\n  aws_secret_access_key = $key",
                "[default\naws_secret_access_key = $key\n",
                "[$key",
                "[default]\nmax_attempts = 5\n  aws_secret_access_key = $key",
                "[default]\nretry_mode =\n  $key",
                "[default]\nretry_mode = $key",
            )) {
                val failure =
                    shouldThrow<ConfigException> { AwsRetryConfig.resolve(sources = FakeSources.ofFile(text)) }
                failure.value shouldContain "not shown ("
                failure.stackTraceToString() shouldNotContain key
            }
        }

        test("a message is one short line, whatever the file is called and whoever throws it") {
            val path = "/home/\n\u001b[31m" + "x".repeat(10_000)
            val overrides = ConfigOverrides { configFile = path }
            val sources = FakeSources(files = mapOf(path to "broken"))
            val ofFile =
                shouldThrow<ConfigException> { AwsRetryConfig.resolve(overrides = overrides, sources = sources) }
            ofFile.source shouldEndWith "xxx line 1"
            val ofOthers = ConfigException("vault\nat https://ann:pw@host/?token=1", "must\tbe", "x".repeat(10_000))
            ofOthers.source shouldBe "vault"
            for (failure in listOf(ofFile, ofOthers)) {
                failure.message!!.length shouldBeLessThan 500
                failure.message!!.none { it.isISOControl() } shouldBe true
            }
        }

        test("the system's sources are the process's own") {
            val sources = ConfigSources.system()
            sources.property("java.version") shouldBe System.getProperty("java.version")
            sources.property("no such property") shouldBe null
            sources.home() shouldBe (System.getenv("HOME") ?: System.getProperty("user.home"))
            System.getenv().keys.forEach { sources.environment(it) shouldBe System.getenv(it) }
            sources.environment("NO_SUCH_VARIABLE") shouldBe null
            "$sources" shouldBe "system"
        }

        test("the home is where the SDKs look: HOME, then Windows' own variables, then the JVM's property") {
            fun home(vararg variables: Pair<String, String>, os: String? = "Linux") =
                SystemConfigSources.homeOf(mapOf(*variables)::get, { mapOf("os.name" to os, "user.home" to "jvm")[it] })
            home("HOME" to "own", "USERPROFILE" to "profile", os = "Windows 11") shouldBe "own"
            home("USERPROFILE" to "profile", "HOMEDRIVE" to "C:", os = "Windows 11") shouldBe "profile"
            home("HOMEDRIVE" to "C:", "HOMEPATH" to "\\me", os = "Windows 11") shouldBe "C:\\me"
            home("HOMEDRIVE" to "C:", os = "windows nt") shouldBe "C:"
            home(os = "Windows 11") shouldBe "jvm"
            home("USERPROFILE" to "profile", "HOMEDRIVE" to "C:") shouldBe "jvm"
            home(os = null) shouldBe "jvm"
        }

        test("a configuration and what overrides it say what they are") {
            val config = AwsRetryConfig.resolve("dynamodb", ConfigOverrides { maxAttempts = 7 }, FakeSources())
            config.service shouldBe "dynamodb"
            "$config" shouldContain "maxAttempts 7"
            val overrides = ConfigOverrides { profile = "work" }
            "$overrides" shouldBe "overrides(retryMode null, maxAttempts null, profile work, configFile null)"
            "${overrides.with { sdkSwitch = true }}" shouldBe
                "overrides(retryMode null, maxAttempts null, profile work, configFile null, obeys the SDKs' switch)"
        }
    })
