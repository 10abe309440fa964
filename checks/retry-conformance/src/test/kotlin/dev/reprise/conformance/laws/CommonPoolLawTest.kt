package dev.reprise.conformance.laws

import dev.reprise.conformance.classesOf
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.grpc.RetryClientInterceptor
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.okhttp.RetryingCallFactory
import dev.reprise.reactor.MonoAttempt
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.shouldBe
import java.io.DataInputStream
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ForkJoinPool

/** The methods that the class file of [type] calls, as `name:descriptor`. */
private fun callsOf(type: Class<*>): List<String> {
    val file = type.getResourceAsStream("/${type.name.replace('.', '/')}.class")!!
    val texts = HashMap<Int, String>()
    val named = ArrayList<Pair<Int, Int>>()
    DataInputStream(file.buffered()).use { data ->
        data.skipBytes(8)
        val size = data.readUnsignedShort()
        var index = 1
        while (index < size) {
            when (val tag = data.readUnsignedByte()) {
                1 -> texts[index] = data.readUTF()
                12 -> named += data.readUnsignedShort() to data.readUnsignedShort()
                5, 6 -> data.skipBytes(8).also { index++ }
                15 -> data.skipBytes(3)
                7, 8, 16, 19, 20 -> data.skipBytes(2)
                else -> data.skipBytes(4).also { check(tag in setOf(3, 4, 9, 10, 11, 17, 18)) { "tag $tag" } }
            }
            index++
        }
    }
    return named.map { (name, descriptor) -> "${texts[name]}:${texts[descriptor]}" }
}

/** Whether a method runs its argument in the common pool: a future's `…Async` without an executor does. */
private fun isInCommonPool(call: String): Boolean {
    val isAsync = call.substringBefore(':').endsWith("Async") && "Ljava/util/function/" in call
    return call.startsWith("commonPool:") || call.startsWith("delayedExecutor:(J") ||
        (isAsync && "Executor;" !in call) || call == "runAsync:(Ljava/lang/Runnable;)${FUTURE.descriptorString()}"
}

private val FUTURE = CompletableFuture::class.java

/** Stands for code that does it, in each of three ways. */
private class Offender {
    @Suppress("unused")
    fun offends(): Any = FUTURE to CompletableFuture.supplyAsync { ForkJoinPool.commonPool() }.thenApplyAsync { it }
}

/** Law 2: nothing of ours runs in the common pool. Attempts, waits, limits and ends have threads of the caller's or of ours. */
class CommonPoolLawTest :
    FunSpec({
        test("no class of ours names the common pool, or calls what runs there") {
            val modules = listOf(
                RetryPolicy::class,
                Retrier::class,
                JavaRetrier::class,
                Retry::class,
                RetryingHttpClient::class,
                RetryingCallFactory::class,
                RetryClientInterceptor::class,
                MonoAttempt::class,
            )
            val classes = modules.flatMap { classesOf(it.java) }
            (classes.size > 500) shouldBe true
            classes.flatMap { type -> callsOf(type).filter(::isInCommonPool).map { "${type.name} calls $it" } }
                .shouldBeEmpty()
        }

        test("a class that does is found") {
            val found = callsOf(Offender::class.java).filter(::isInCommonPool).map { it.substringBefore(':') }
            for (name in listOf("supplyAsync", "thenApplyAsync")) found shouldContain name
        }
    })
