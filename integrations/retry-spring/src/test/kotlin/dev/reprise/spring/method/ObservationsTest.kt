package dev.reprise.spring.method

import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.observation.RetryObservations
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationHandler
import io.micrometer.observation.ObservationRegistry
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.http.HttpMethod
import org.springframework.http.HttpStatus
import org.springframework.web.reactive.function.client.ClientRequest
import org.springframework.web.reactive.function.client.ClientResponse
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.net.ConnectException
import java.net.URI
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.function.Supplier
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.milliseconds

/** Fails twice in all ways, and says which observation is the current one. */
open class Observed(private val registry: ObservationRegistry) {
    val current = CopyOnWriteArrayList<Observation?>()

    private fun step(observation: Observation?): String {
        current += observation
        if (current.size < 3) throw ConnectException("attempt ${current.size}")
        return "done"
    }

    @Retry("four")
    open fun plain(): String = step(registry.currentObservation)

    @Retry("four")
    open fun future(): CompletableFuture<String> = CompletableFuture.completedFuture(plainStep())

    private fun plainStep() = step(registry.currentObservation)

    @Retry("four")
    open fun mono(): Mono<String> =
        Mono.deferContextual { Mono.fromCallable { step(it.get(ObservationThreadLocalAccessor.KEY)) } }

    @Retry("four")
    open fun flux(): Flux<String> = Flux.deferContextual { Flux.just(step(it.get(ObservationThreadLocalAccessor.KEY))) }

    @Retry("four")
    open suspend fun suspending(): String =
        step(currentCoroutineContext()[ReactorContext]!!.context.get(ObservationThreadLocalAccessor.KEY))

    @Retry("four")
    open suspend fun resumed(): String {
        delay(1.milliseconds)
        return step(registry.currentObservation)
    }

    @Retry("four")
    open fun elements(): Flow<String> = flow { emit(step(null)) }

    @Retry("four")
    open suspend fun endless(): String = kotlinx.coroutines.awaitCancellation()

    @Retry("four")
    open fun rejected(): String = throw IllegalStateException("not retryable")
}

private val KINDS: Map<String, suspend (Observed) -> String> = mapOf(
    "plain" to { it.plain() },
    "future" to { it.future().get() },
    "suspend" to { it.suspending() },
    "suspend, resumed" to { it.resumed() },
    "Mono" to { it.mono().block()!! },
    "Flux" to { it.flux().blockLast()!! },
    "flow" to { it.elements().single() },
)

/** Makes [observation] the current one of a coroutine, as Micrometer's own element does. */
private class Opened(private val observation: Observation) :
    AbstractCoroutineContextElement(Opened),
    ThreadContextElement<Observation.Scope> {
    override fun updateThreadContext(context: CoroutineContext): Observation.Scope = observation.openScope()

    override fun restoreThreadContext(context: CoroutineContext, oldState: Observation.Scope) = oldState.close()

    companion object : CoroutineContext.Key<Opened>
}

/** Calls whose caller's observation is in the Reactor context alone. */
private val SUBSCRIBED: Map<String, (Lookout) -> Mono<*>> = mapOf(
    "method that returns a Mono" to { it.service.mono() },
    "method that returns a Flux" to { it.service.flux().last() },
    "suspend method" to { mono { it.service.suspending() } },
    "resumed suspend method" to { mono { it.service.resumed() } },
    "WebClient" to { lookout ->
        var sent = 0
        RetryExchangeFilter(lookout.retriers["four"])
            .filter(ClientRequest.create(HttpMethod.GET, URI("http://orders")).build()) {
                Mono.fromCallable {
                    if (++sent < 3) throw ConnectException("attempt $sent")
                    ClientResponse.create(HttpStatus.OK).build()
                }
            }
    },
)

/** Contexts of ended observations, with a service that is observed. */
private class Lookout : AutoCloseable {
    val ended = CopyOnWriteArrayList<Observation.Context>()
    val registry: ObservationRegistry = ObservationRegistry.create().also {
        it.observationConfig().observationHandler(
            object : ObservationHandler<Observation.Context> {
                override fun supportsContext(context: Observation.Context) = true

                override fun onStop(context: Observation.Context) {
                    ended += context
                }
            },
        )
    }
    val observations = RetryObservations(registry)
    val retriers = RetryRegistry(mapOf("four" to FOUR), listOf(observations))
    private val context = AnnotationConfigApplicationContext().apply {
        registerBean(RetryObservations::class.java, Supplier { observations })
        registerBean(ObservationRegistry::class.java, Supplier { registry })
        registerBean(RetryRegistry::class.java, Supplier { retriers })
        register(RepriseConfiguration::class.java, Observed::class.java)
        refresh()
    }
    val service: Observed = context.getBean(Observed::class.java)

    fun values(key: String) = ended.map { it.getLowCardinalityKeyValue(key)!!.value }

    override fun close() = context.close()
}

class ObservationsTest :
    FunSpec({
        for ((kind, call) in KINDS) {
            test("each attempt of a $kind method is observed, below the observation of its caller") {
                Lookout().use { lookout ->
                    val caller = Observation.start("caller", lookout.registry)

                    caller.openScope().use { runTest { call(lookout.service) shouldBe "done" } }
                    caller.stop()

                    val attempts = lookout.ended.filter { it.name == RetryObservations.NAME }
                    attempts.map { it.getLowCardinalityKeyValue("outcome")!!.value } shouldContainExactly
                        listOf("transient", "transient", "success")
                    attempts.map { it.getLowCardinalityKeyValue("attempt")!!.value } shouldContainExactly
                        listOf("1", "2", "3")
                    attempts.map { it.getLowCardinalityKeyValue("client")!!.value }.toSet() shouldBe setOf("four")
                    attempts.map { it.parentObservation?.contextView?.name }.toSet() shouldBe setOf("caller")
                    attempts.map { it.error != null } shouldContainExactly listOf(true, true, false)
                    lookout.observations.openCalls shouldBe 0
                    if (kind != "flow") {
                        targetOf(lookout.service).current.map { it?.context } shouldContainExactly attempts
                    }
                    lookout.registry.currentObservation shouldBe null
                }
            }
        }

        for ((kind, call) in SUBSCRIBED) {
            test("each attempt of a $kind is below the observation in the subscriber's context, which no thread has") {
                Lookout().use { lookout ->
                    val caller = Observation.start("caller", lookout.registry)

                    call(lookout).contextWrite { it.put(ObservationThreadLocalAccessor.KEY, caller) }.block()

                    lookout.ended.map { it.parentObservation?.contextView?.name } shouldContainExactly
                        List(3) { "caller" }
                    lookout.registry.currentObservation shouldBe null
                }
            }
        }

        test(
            "attempts of a suspend method are below the observation of its caller's coroutine, if that has one of its own",
        ) {
            Lookout().use { lookout ->
                val server = Observation.start("server", lookout.registry)
                val child = Observation.start("child", lookout.registry)

                mono { withContext(Opened(child)) { lookout.service.resumed() } }
                    .contextWrite { it.put(ObservationThreadLocalAccessor.KEY, server) }
                    .block()

                lookout.ended.map { it.parentObservation?.contextView?.name } shouldContainExactly List(3) { "child" }
                lookout.registry.currentObservation shouldBe null
            }
        }

        test(
            "an attempt that is not observed, since a predicate says so, leaves the caller's observation the current one",
        ) {
            val calls = SUBSCRIBED - "WebClient" +
                ("method that returns a value" to { Mono.fromCallable { it.service.plain() } })
            for ((kind, call) in calls) {
                Lookout().use { lookout ->
                    lookout.registry.observationConfig().observationPredicate { name, _ -> name == "caller" }
                    val caller = Observation.start("caller", lookout.registry)

                    caller.openScope().use {
                        call(lookout).contextWrite { it.put(ObservationThreadLocalAccessor.KEY, caller) }.block()
                    }

                    withClue(kind) { targetOf(lookout.service).current shouldContainExactly List(3) { caller } }
                }
            }
        }

        test("a failure that is not retried, and a call that is cancelled, end their observations") {
            Lookout().use { lookout ->
                runCatching { lookout.service.rejected() }.isFailure shouldBe true
                runTest {
                    val job = launch { lookout.service.endless() }
                    testScheduler.runCurrent()
                    job.cancelAndJoin()
                }
                lookout.values("outcome") shouldContainExactly listOf("rejected", "cancelled")
                lookout.observations.openCalls shouldBe 0
            }
        }

        test("an attempt that code around it ends is rejected") {
            Lookout().use { lookout ->
                val policy = RetryPolicy { onFailure { error("the classifier") } }
                val retrier = JavaRetrier.builder(policy).listener(lookout.observations).build()
                runCatching { retrier.call<String, Exception> { throw ConnectException("refused") } }
                    .isFailure shouldBe true
                lookout.values("outcome") shouldContainExactly listOf("rejected")
                lookout.observations.openCalls shouldBe 0
            }
        }

        test("100 names of retriers are told apart, as in metrics: HTTP clients name theirs by host") {
            Lookout().use { lookout ->
                for (i in 1..200) {
                    val retrier = JavaRetrier.builder().name("host$i").listener(lookout.observations).build()
                    repeat(2) { retrier.call<String, Exception> { "up" } }
                }
                val clients = lookout.values("client").groupingBy { it }.eachCount()
                clients.size shouldBe 101
                clients["host100"] shouldBe 2
                clients["other"] shouldBe 200
            }
        }

        test("an attempt's number has five values at most") {
            Lookout().use { lookout ->
                val policy = RetryPolicy {
                    maxAttempts = 9
                    noBackoff()
                    noQuota()
                }
                val retrier = RetryRegistry(mapOf("nine" to policy), listOf(lookout.observations))["nine"]
                runCatching { retrier.call<Any?, Exception> { throw ConnectException() } }
                lookout.values("attempt") shouldContainExactly listOf("1", "2", "3", "4") + List(5) { "5+" }
            }
        }
    })
