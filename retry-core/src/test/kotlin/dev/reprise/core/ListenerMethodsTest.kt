package dev.reprise.core

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.lang.reflect.Proxy

/** Each kind of event has a method of its own, and goes there and nowhere else. */
class ListenerMethodsTest :
    FunSpec({
        val source = RetryEvent.Source(callId = 7, "users", "read", HttpTarget("GET", "example.com"), at = 1)

        fun argument(type: Class<*>): Any? = when (type) {
            RetryEvent.Source::class.java -> source
            Long::class.java -> 1L
            Int::class.java -> 1
            Boolean::class.java -> false
            Verdict::class.java -> Verdict.TRANSIENT
            FailureKind::class.java -> FailureKind.TRANSIENT
            ServerDelayHeader::class.java -> ServerDelayHeader.RETRY_AFTER
            HedgeRefusal::class.java -> HedgeRefusal.QUOTA
            StopReason::class.java -> StopReason.ATTEMPTS
            Throwable::class.java -> IOException("lost")
            String::class.java -> "text"
            else -> null
        }

        val events = RetryEvent::class.java.declaredClasses.filter {
            it.superclass == RetryEvent::class.java
        }.map { type ->
            val constructor = type.declaredConstructors.single { !it.isSynthetic }
            constructor.isAccessible = true
            constructor.newInstance(*constructor.parameterTypes.map(::argument).toTypedArray()) as RetryEvent
        }

        test("each event goes to its own method") {
            val told = ArrayList<String>()
            val listener = Proxy.newProxyInstance(
                RetryEventListener::class.java.classLoader,
                arrayOf(RetryEventListener::class.java),
            ) { _, method, arguments ->
                told += "${method.name} ${arguments.single().javaClass.simpleName}"
                null
            } as RetryEventListener
            val dispatch = object : RetryEventListener by listener {
                override fun onEvent(event: RetryEvent) = super<RetryEventListener>.onEvent(event)
            }
            events shouldHaveSize 16
            for (event in events) {
                dispatch.onEvent(event)
                val name = event.javaClass.simpleName
                told.removeLast() shouldBe "on$name $name"
            }
            told shouldHaveSize 0
        }

        test("a listener that implements nothing hears nothing") {
            val deaf = object : RetryEventListener {}
            for (event in events) withClue(event) { deaf.onEvent(event) shouldBe Unit }
        }

        test("each event names its call, its retrier, its operation, and the request of its start") {
            for (event in events) {
                listOf(event.callId, event.retrier, event.operation) shouldContainExactly listOf(7L, "users", "read")
            }
            val start = events.filterIsInstance<RetryEvent.CallStarted>().single()
            start.httpMethod shouldBe "GET"
            start.serverAddress shouldBe "example.com"
        }
    })
