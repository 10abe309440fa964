package dev.reprise.spring

import dev.reprise.core.RetryPolicy
import dev.reprise.core.TokenBucketSettings
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpStatus
import org.springframework.web.client.HttpServerErrorException
import org.springframework.web.client.RestClientResponseException
import org.springframework.web.reactive.function.client.WebClientResponseException
import java.net.ConnectException
import java.net.SocketTimeoutException

class RetryRegistryTest :
    FunSpec({
        test("two names are always there, and can be given other policies") {
            val registry = RetryRegistry(mapOf("http" to RetryPolicy.NONE))

            registry.names shouldContainExactly setOf("default", "http")
            registry.policy("default") shouldBe RetryPolicy.STANDARD
            registry.policy("http") shouldBe RetryPolicy.NONE
        }

        test("an unknown name is refused with those that there are") {
            shouldThrow<IllegalArgumentException> { RetryRegistry()["x"] }
                .message shouldBe "there is no retry policy 'x'; there are: default, http"
        }

        test("whatever it is updated with, retriers stay and have the last policy") {
            val policies = Arb.map(
                Arb.element("a", "b", "default"),
                Arb.int(1..9).map { n -> RetryPolicy { maxAttempts = n } },
            )
            checkAll(100, policies, policies) { first, second ->
                val registry = RetryRegistry(first)
                val before = registry.names.associateWith { registry[it] }
                val hosts = registry.names.associateWith { registry.forHost(it, "h") }

                registry.update(second)

                for ((name, retrier) in before) {
                    registry[name] shouldBeSameInstanceAs retrier
                    registry.forHost(name, "h") shouldBeSameInstanceAs hosts[name]
                    val expected = second[name] ?: first[name] ?: RetryPolicy.STANDARD.takeIf { name == "default" }
                        ?: RetryPolicy.HTTP
                    registry.policy(name) shouldBe expected
                    retrier.policy().maxAttempts shouldBe expected.maxAttempts
                    hosts.getValue(name).policy().maxAttempts shouldBe expected.maxAttempts
                }
            }
        }

        test("policies that were laid over others uncover them again") {
            fun tries(n: Int) = RetryPolicy { maxAttempts = n }
            val registry = RetryRegistry(mapOf("coded" to tries(4)))
            val retrier = registry["coded"]
            val own = registry.names.associateWith { registry.policy(it) }

            registry.layOver(mapOf("http" to tries(7), "default" to tries(7), "coded" to tries(7), "only" to tries(7)))
            registry.names.associateWith { registry.policy(it).maxAttempts } shouldBe
                mapOf("coded" to 7, "default" to 7, "http" to 7, "only" to 7)
            registry.layOver(mapOf("http" to tries(8)))
            registry.policy("http") shouldBe tries(8)
            registry.policy("only") shouldBe tries(7)
            registry["coded"] shouldBeSameInstanceAs retrier
            registry.update(mapOf("coded" to tries(5)))
            registry.layOver(emptyMap())

            own.keys.associateWith { registry.policy(it) } shouldBe own + ("coded" to tries(5))
        }

        test("policies that lie over others from the start have their own quotas, and uncover the others later") {
            val small = RetryPolicy { quota = TokenBucketSettings { capacity(50) } }
            val told = mutableListOf<String>()
            val configurer = RetryConfigurer { name, _ -> told += name }
            val registry = RetryRegistry(
                mapOf("coded" to RetryPolicy.NONE),
                listOf(configurer),
                mapOf("default" to small, "coded" to small),
            )
            told.sorted() shouldBe listOf("coded", "default", "http")
            for (name in listOf("default", "coded")) registry.retrier(name).quota!!.capacity shouldBe 50
            registry.layOver(emptyMap())
            registry.policy("default") shouldBe RetryPolicy.STANDARD
            registry.policy("coded") shouldBe RetryPolicy.NONE
        }

        test("a policy that lies below another is made when it is in force first") {
            val registry = RetryRegistry(over = mapOf("p" to RetryPolicy.NONE))
            var made = 0
            val make = {
                made++
                RetryPolicy { maxAttempts = 7 }
            }
            registry.ensure("p", make)
            made shouldBe 0
            registry.layOver(emptyMap())
            registry.policy("p").maxAttempts shouldBe 7
            registry.ensure("q", make)
            made shouldBe 2
        }

        test("configurers see each retrier's name, and hosts have quotas of their own") {
            val names = mutableListOf<String>()
            val registry = RetryRegistry(emptyMap(), listOf(RetryConfigurer { name, _ -> names += name }))

            registry.forHost("http", "a").retrier().quota shouldNotBeSameInstanceAs
                registry.forHost("http", "b").retrier().quota
            names shouldContainExactly listOf("default", "http", "http", "http")
        }

        test(
            "configurers are told of each name's retriers when they are made and when their policies change, not of hosts'",
        ) {
            val told = mutableListOf<Pair<String, Int>>()
            val configurer = object : RetryConfigurer {
                override fun configure(name: String, builder: JavaRetrierBuilder) = Unit

                override fun updated(name: String, retrier: JavaRetrier) {
                    told += name to retrier.policy().maxAttempts
                }
            }
            val five = RetryPolicy { maxAttempts = 5 }
            val registry = RetryRegistry(emptyMap(), listOf(configurer))
            registry.forHost("http", "a")
            registry.update(mapOf("http" to five, "more" to five))
            registry.update(mapOf("http" to five, "more" to five))

            told shouldContainExactly listOf("default" to 3, "http" to 3, "http" to 5, "more" to 5)
        }

        test("a retrier of a registry makes the calls of one made by hand, where no exception is Spring's") {
            val kinds =
                listOf(null, ConnectException("no"), SocketTimeoutException("slow"), IllegalStateException("bug"))
            val policies = Arb.element(
                RetryPolicy.STANDARD,
                RetryPolicy.HTTP,
                RetryPolicy.ADAPTIVE_STEADY,
                RetryPolicy.NONE,
            )
            checkAll(100, policies, Arb.list(Arb.element(kinds), 1..12)) { policy, script ->
                fun told(make: (RetryConfigurer) -> JavaRetrier): List<Any?> {
                    val time = VirtualTime()
                    val recorder = Recorder()
                    val retrier = make(
                        RetryConfigurer { _, builder ->
                            builder.clock(time).waiter(time).draws(VirtualTime.LONGEST).listener(recorder)
                        },
                    )
                    var next = 0
                    while (next < script.size) {
                        retrier.outcome<Int> { script.getOrNull(next++)?.let { throw it } ?: next }
                    }
                    return recorder.events.map { "$it" } + time.nanoTime() + retrier.retrier().quota?.available
                }
                told { RetryRegistry(mapOf("p" to policy), listOf(it))["p"] } shouldBe
                    told { JavaRetrier.builder(policy).name("p").also { made -> it.configure("p", made) }.build() }
            }
        }

        for (policy in listOf(RetryPolicy.STANDARD, RetryPolicy.ANY_EXCEPTION, RetryPolicy.HTTP)) {
            test("Spring's exceptions are judged by their status under ${policy.hashCode()}, also among causes") {
                val free = policy.with {
                    noQuota()
                    noBackoff()
                }
                val retrier = RetryRegistry(mapOf("p" to free))["p"]
                for ((status, attempts) in mapOf(503 to 3, 500 to 3, 429 to 3, 404 to 1, 401 to 1)) {
                    for (thrown in listOf(
                        restFailure(status),
                        webFailure(status),
                        IllegalStateException(restFailure(status)),
                    )) {
                        var calls = 0
                        shouldThrow<Exception> {
                            retrier.call<Any?, Exception> {
                                calls++
                                throw thrown
                            }
                        }
                        calls shouldBe attempts
                    }
                }
            }
        }

        test("a Retry-After in Spring's exception is followed") {
            val headers = HttpHeaders().apply { set("Retry-After", "7") }
            val failure = HttpServerErrorException(HttpStatus.SERVICE_UNAVAILABLE, "", headers, null, null)

            SpringErrors.responseOf(failure)!!.header("retry-after") shouldBe "7"
            SpringErrors.addedTo(SpringErrors.addedTo(RetryPolicy.HTTP)) shouldBe SpringErrors.addedTo(RetryPolicy.HTTP)
        }
    })

private fun restFailure(status: Int) = RestClientResponseException("", status, "", null, null, null)

private fun webFailure(status: Int) = WebClientResponseException.create(status, "", HttpHeaders(), ByteArray(0), null)
