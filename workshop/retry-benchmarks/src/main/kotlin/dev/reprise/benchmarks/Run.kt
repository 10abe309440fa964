package dev.reprise.benchmarks

import dev.reprise.benchmarks.cold.ColdStart
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.profile.GCProfiler
import org.openjdk.jmh.results.RunResult
import org.openjdk.jmh.results.format.ResultFormatFactory
import org.openjdk.jmh.results.format.ResultFormatType
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.OptionsBuilder
import org.openjdk.jmh.runner.options.TimeValue
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import java.time.LocalDate
import java.util.concurrent.TimeUnit

/** A plan of a run: benchmarks by name, rows, and threads. */
private class Plan(
    val benchmarks: String,
    val rows: List<Row> = Row.entries,
    val threads: Int = 1,
    /** Until the compiler has done its work: long for Ktor, whose one request is a thousand methods. */
    val warmUpSeconds: Int = 3,
    /** In how many JVMs: many for Ktor, which each compiles in its own way. */
    val forks: Int = 2,
    /** How often each of them measures. */
    val iterations: Int = 12,
)

private val ALL =
    listOf(
        Plan("(Suspend|Blocking|Future)Benchmark"),
        Plan("AwsStrategyBenchmark", listOf(Row.SUCCESS, Row.ONE_FAILURE)),
        Plan("KtorBenchmark", warmUpSeconds = 6, forks = 10, iterations = 6),
        Plan("(OkHttp|HttpClient|Grpc|RestClient|WebClient)Benchmark"),
        Plan(
            "SuspendBenchmark.(floor|reprise|repriseLimited|smithy|smithyAdaptive)$",
            listOf(Row.SUCCESS),
            threads = 2,
        ),
        Plan("BlockingBenchmark.(floor|reprise|repriseLimited|aws|awsAdaptive)$", listOf(Row.SUCCESS), threads = 2),
        Plan("QuotaBenchmark"),
        Plan("QuotaBenchmark", threads = 2),
    )

private val SHORT =
    listOf(
        Plan("SuspendBenchmark.(floor|reprise|kotlinRetry)$"),
        Plan("BlockingBenchmark.(floor|reprise|resilience4j)$"),
        Plan("FutureBenchmark.(floor|reprise)$", listOf(Row.SUCCESS, Row.ONE_FAILURE)),
    )

private val HTTP = listOf(Plan("(OkHttp|HttpClient|Grpc)Benchmark", listOf(Row.SUCCESS, Row.ONE_FAILURE)))

private val SPRING = listOf(Plan("(RestClient|WebClient)Benchmark", listOf(Row.SUCCESS, Row.ONE_FAILURE)))

private val SCALE =
    listOf("coroutines", "futures", "virtualThreads").flatMap { face ->
        val peer = if (face == "coroutines") "kotlinRetry" else "resilience4j"
        listOf("$face floor", "$face reprise", "$face $peer")
    }

/**
 * Runs the benchmarks, `all` of them, a `short` choice or those of the `http` or `spring` clients, and prints the tables. Or
 * lets adaptive mode and its peers `converge` in real time, or measures the cost of a `fleet`'s quota. After a mode, name the
 * folder that gets the tables of `all`. JMH's own JSON, the machine and the versions are in `target/benchmarks`.
 */
fun main(args: Array<String>) {
    val (mode, figures) = args
    if (mode == "converge") return converge()
    if (mode == "fleet") return fleet()
    if (mode == "cold") return ColdStart.main(emptyArray())
    val isAll = mode == "all"
    val plans = mapOf("all" to ALL, "short" to SHORT, "http" to HTTP, "spring" to SPRING)[mode]
    requireNotNull(plans) { "bench must be all, short, http, spring, converge, fleet or cold: $mode" }
    val out = File("target/benchmarks").apply { mkdirs() }
    val results = plans.flatMap { run(it, isShort = !isAll) }
    File(out, "$mode.json").writeText(json(results))
    if (isAll) File(out, "scale.txt").writeText(SCALE.mapNotNull(::scale).joinToString("\n", postfix = "\n"))
    File(out, "$mode-machine.txt").writeText(machine(mode))
    val report = Report(out, mode)
    println(report.text())
    if (isAll) report.writeInto(File(figures))
}

/** JMH's own JSON, without the place of the JVM on this machine. */
private fun json(results: Collection<RunResult>): String {
    val bytes = ByteArrayOutputStream()
    ResultFormatFactory.getInstance(ResultFormatType.JSON, PrintStream(bytes)).writeOut(results)
    return bytes.toString().replace(JVM_PATH, "\"jvm\" : \"java\"")
}

private val JVM_PATH = Regex("\"jvm\" : \"[^\"]*\"")

private fun run(plan: Plan, isShort: Boolean): Collection<RunResult> {
    val options =
        OptionsBuilder()
            .include(plan.benchmarks)
            .param("row", *plan.rows.map { it.name }.toTypedArray())
            .threads(plan.threads)
            .forks(if (isShort) 1 else plan.forks)
            .warmupIterations(if (isShort) 3 else plan.warmUpSeconds * 2)
            .warmupTime(TimeValue.milliseconds(500))
            .measurementIterations(if (isShort) 8 else plan.iterations)
            .measurementTime(TimeValue.milliseconds(250))
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .addProfiler(GCProfiler::class.java)
            .jvmArgs("-Xms1g", "-Xmx1g")
            .build()
    return Runner(options).run()
}

/** One line: contestant, ms, threads, bytes; `null` where the JVM has no virtual threads. */
private fun scale(contestant: String): String? {
    val virtual = contestant.startsWith("virtual")
    val home = System.getProperty("bench.virtual.jdk").orEmpty().ifEmpty { System.getProperty("java.home") }
    if (virtual && Runtime.Version.parse(release(home)).feature() < 21) return null
    val java = if (virtual) "$home/bin/java" else System.getProperty("java.home") + "/bin/java"

    fun measure(what: String): String = ProcessBuilder(
        listOf(java, "-Xms2g", "-Xmx2g", "-cp", System.getProperty("java.class.path")) +
            listOf("dev.reprise.benchmarks.ScaleKt", contestant, what),
    ).redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
        .inputStream
        .bufferedReader()
        .readText()
        .trim()
    return listOf(contestant, measure("time"), measure("memory")).joinToString(" ").also(::println)
}

private fun release(home: String): String =
    File(home, "release").readLines().first { it.startsWith("JAVA_VERSION=") }.substringAfter('"').substringBefore('"')

private fun machine(mode: String): String {
    val cpu =
        File("/proc/cpuinfo").takeIf { it.canRead() }?.useLines { lines ->
            lines.firstOrNull { it.startsWith("model name") }?.substringAfter(": ")
        }
    val peers =
        System
            .getProperty("java.class.path")
            .split(File.pathSeparator)
            .map { File(it).name.removeSuffix(".jar") }
            .filter { PEERS.containsMatchIn(it) }
            .sorted()
    return """
        machine: ${Runtime.getRuntime().availableProcessors()} cores of ${cpu ?: System.getProperty("os.arch")}
        JDK: ${System.getProperty("java.vm.name")} ${System.getProperty("java.vm.version")}
        date: ${LocalDate.now()}
        command: mvn -f workshop verify -pl :retry-benchmarks -am -DskipTests -Dbench=$mode
        versions: ${peers.joinToString(", ")}
    """.trimIndent() + "\n"
}

private val PEERS =
    Regex(
        "^(resilience4j-(retry|kotlin)|failsafe|failsafe-okhttp|okhttp|kotlin-retry|arrow-resilience|retries|" +
            "runtime-core|spring-retry|ktor-client-core|kotlinx-coroutines-core|jmh-core)-(jvm-)?\\d",
    )
