package dev.reprise.core.shell

import com.sun.management.ThreadMXBean
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import java.lang.management.ManagementFactory
import java.lang.ref.WeakReference
import java.lang.reflect.Array
import java.lang.reflect.Proxy
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.random.Random
import kotlin.time.Duration.Companion.seconds

class TypeCacheTest :
    FunSpec({
        test("each of a thousand classes has its own value, computed once") {
            val computed = AtomicInteger()
            val cache = TypeCache { type -> type.name.also { computed.incrementAndGet() } }
            val types = classes(1_000)

            repeat(3) { types.map { cache[it] } shouldContainExactly types.map { it.name } }
            computed.get() shouldBe 1_000
        }

        test("a value may be null, and is computed once too") {
            var computed = 0
            val cache = TypeCache<String?> { null.also { computed++ } }

            repeat(3) { cache[String::class.java] shouldBe null }
            computed shouldBe 1
        }

        test("a known class costs no allocation") {
            val cache = TypeCache<String?> { type -> type.name }
            val types = classes(100).toTypedArray()
            val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean
            var found = 0
            fun lookUpAll() = repeat(10_000) { if (cache[types[it % types.size]] != null) found++ }

            repeat(10) { lookUpAll() }
            val before = threads.currentThreadAllocatedBytes
            lookUpAll()
            // Not a byte for each look-up; the measurement itself may cost some.
            threads.currentThreadAllocatedBytes - before shouldBeLessThan 10_000L
            found shouldBe 110_000
        }

        test("threads that look at the same classes see the same values") {
            val cache = TypeCache { type -> type.name }
            val types = classes(2_000)
            val wrong = AtomicInteger()

            List(4) { seed ->
                val mine = types.shuffled(Random(seed))
                thread { wrong.addAndGet(mine.count { cache[it] != it.name }) }
            }.forEach { it.join() }
            wrong.get() shouldBe 0
        }

        test("a class and its loader can be unloaded") {
            val cache = TypeCache { type -> type.name }
            val loaded = List(100) { WeakReference(foreignClass().also { cache[it] }) }

            eventually(30.seconds) {
                System.gc()
                loaded.count { it.get() != null } shouldBeLessThan 5
            }
            // And the table goes on without them.
            classes(100).forEach { cache[it] shouldBe it.name }
        }
    })

/** Array classes of more and more dimensions: they are quick to make. */
private fun classes(count: Int): List<Class<*>> {
    val elements = listOf<Class<*>>(
        String::class.java, Any::class.java, List::class.java, Map::class.java, Set::class.java, Exception::class.java,
        Runnable::class.java, Number::class.java, Iterable::class.java, Comparable::class.java,
    )
    return generateSequence<List<Class<*>>>(elements) { all -> all.map { Array.newInstance(it, 0).javaClass } }
        .flatten().take(count).toList()
}

private fun foreignClass(): Class<*> {
    val loader = object : ClassLoader(TypeCacheTest::class.java.classLoader) {}
    return Proxy.newProxyInstance(loader, arrayOf(Runnable::class.java)) { _, _, _ -> null }.javaClass
}
