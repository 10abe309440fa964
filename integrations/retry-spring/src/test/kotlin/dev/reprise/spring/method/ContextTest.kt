package dev.reprise.spring.method

import dev.reprise.spring.Retry
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.micrometer.context.ContextRegistry
import reactor.core.publisher.Hooks
import reactor.core.publisher.Mono
import java.net.ConnectException
import java.net.URLClassLoader
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors
import kotlin.time.Duration.Companion.seconds

private val USER = ThreadLocal<String?>()

/** Sees the caller's thread-local in each attempt; the first two fail. */
open class Seeing {
    val seen = CopyOnWriteArrayList<String>()
    val threads = CopyOnWriteArrayList<Thread>()
    val loaders = CopyOnWriteArrayList<ClassLoader?>()

    private fun step(): String {
        threads += Thread.currentThread()
        seen += "${USER.get()}"
        if (seen.size < 3) throw ConnectException("attempt ${seen.size}")
        return "done"
    }

    /** Fails after the method has returned, on another thread. */
    @Retry("four")
    open fun future(): CompletableFuture<String> {
        val user = USER.get()
        return CompletableFuture.supplyAsync({ withUser(user) }, POOL)
    }

    private fun withUser(user: String?): String {
        USER.set(user)
        try {
            return step()
        } finally {
            USER.remove()
        }
    }

    /** Fails at once, and after a wait on the thread of its timer. */
    @Retry("waiting")
    open fun loading(): CompletableFuture<String> {
        loaders += Thread.currentThread().contextClassLoader
        return CompletableFuture.completedFuture(step())
    }

    @Retry("four")
    open fun mono(): Mono<String> = Mono.fromCallable { step() }.subscribeOn(reactor.core.scheduler.Schedulers.single())

    /** Is throttled, so that a retry waits for a send permit. */
    @Retry("waiting for permits")
    open fun metered(): Mono<String> = mono()

    companion object {
        val POOL = Executors.newSingleThreadExecutor { Thread(it, "attempts").apply { isDaemon = true } }
    }
}

class ContextTest :
    FunSpec({
        val registry = ContextRegistry.getInstance()
        registry.registerThreadLocalAccessor("user", { USER.get() }, { USER.set(it) }, { USER.remove() })

        afterSpec { registry.removeThreadLocalAccessor("user") }

        afterTest { USER.remove() }

        for ((kind, call) in mapOf<String, (Seeing) -> String>(
            "future" to { it.future().get() },
            "Mono" to { it.mono().block()!! },
            "Mono, which waits for send permits," to { it.metered().block()!! },
        )) {
            test("each attempt of a $kind method sees the thread-locals of its caller, wherever it runs") {
                Hooks.enableAutomaticContextPropagation()
                try {
                    contextOf(Seeing::class.java).use { context ->
                        val service = context.getBean(Seeing::class.java)
                        val target = targetOf(service)
                        USER.set("ann")

                        call(service) shouldBe "done"

                        target.seen shouldContainExactly listOf("ann", "ann", "ann")
                        (Thread.currentThread() in target.threads) shouldBe false
                        USER.get() shouldBe "ann"
                    }
                } finally {
                    Hooks.disableAutomaticContextPropagation()
                }
            }
        }

        test("each attempt of a future has the context class loader of its caller, and its thread has its own again") {
            contextOf(Seeing::class.java).use { context ->
                val service = context.getBean(Seeing::class.java)
                val target = targetOf(service)
                val thread = Thread.currentThread()
                val own = thread.contextClassLoader
                val callers = URLClassLoader(emptyArray(), own)
                thread.contextClassLoader = callers
                val end = try {
                    service.loading()
                } finally {
                    thread.contextClassLoader = own
                }

                end.get() shouldBe "done"

                target.loaders shouldContainExactly List(3) { callers }
                target.threads.last() shouldNotBe thread
                // The future ends a little before its thread has its own again.
                eventually(30.seconds) { target.threads.last().contextClassLoader shouldNotBe callers }
            }
        }

        test("the thread of an attempt has its own thread-locals again afterwards") {
            contextOf(Seeing::class.java).use { context ->
                USER.set("ann")
                context.getBean(Seeing::class.java).future().get()
                USER.remove()
                CompletableFuture.supplyAsync({ USER.get() }, Seeing.POOL).get() shouldBe null
            }
        }
    })
