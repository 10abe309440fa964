package dev.reprise.spring.boot

import dev.reprise.core.Upstream
import dev.reprise.faults.Fault
import dev.reprise.spring.server.RetryUpstreamWebFilter
import dev.reprise.spring.servlet.UpstreamFilter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.micrometer.core.instrument.MeterRegistry
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner
import org.springframework.boot.test.context.runner.WebApplicationContextRunner
import org.springframework.boot.web.servlet.FilterRegistrationBean
import org.springframework.http.ResponseEntity
import org.springframework.mock.web.MockFilterChain
import org.springframework.mock.web.MockHttpServletRequest
import org.springframework.mock.web.MockHttpServletResponse
import java.util.function.Consumer
import java.util.function.Supplier

/** Gets [path] of the running application, as the caller's attempt of this [number]. */
private fun get(path: String, number: Int = 1): ResponseEntity<String> = Running.client.get().uri(path)
    .header("amz-sdk-request", "attempt=$number; max=9")
    .exchange { _, response -> ResponseEntity.status(response.statusCode).headers(response.headers).body("") }

private fun ResponseEntity<*>.mark(): String? = headers.getFirst("x-should-retry")

class UpstreamTest :
    FunSpec({
        val auto = AutoConfigurations.of(UpstreamAutoConfiguration::class.java)

        test("a response on which a client of the application gave up says so, whoever writes it") {
            for (path in listOf("/orders", "/answered")) {
                Running.serves(*Array(4) { Fault.UNAVAILABLE })
                val response = get(path)
                response.statusCode.is5xxServerError shouldBe true
                response.mark() shouldBe "false"
            }
        }

        test("any other failure is not marked") {
            val response = get("/broken")
            response.statusCode.value() shouldBe 500
            response.mark() shouldBe null
        }

        test("what is called for a caller's retry is called once, and its response is not marked") {
            Running.serves(*Array(4) { Fault.UNAVAILABLE })
            val before = Running.service.served()
            val response = get("/orders", 2)
            response.statusCode.is5xxServerError shouldBe true
            response.mark() shouldBe null
            Running.service.served() - before shouldBe 1
        }

        test("the requests are counted by their caller's attempt") {
            get("/broken", 3)
            val counters = Running.context.getBean(MeterRegistry::class.java).get("reprise.inbound.attempts")
            counters.tag("attempt", "3").counter().count() shouldBeGreaterThanOrEqual 1.0
        }

        test("a property switches the filters off, and a filter of the user's own replaces them") {
            val servlet = WebApplicationContextRunner().withConfiguration(auto)
            val isThere = { context: org.springframework.context.ApplicationContext ->
                context.getBeanProvider(FilterRegistrationBean::class.java).any { it.filter is UpstreamFilter }
            }
            servlet.run { isThere(it) shouldBe true }
            servlet.withPropertyValues("reprise.upstream.enabled=false").run { isThere(it) shouldBe false }
            servlet.withBean(UpstreamFilter::class.java).run { isThere(it) shouldBe false }
        }

        test("a consumer of which Spring does not know what it takes is told of no requests") {
            val texts = Supplier<Consumer<*>> { Consumer<String> { it.length } }
            WebApplicationContextRunner().withConfiguration(auto).withBean("texts", Consumer::class.java, texts).run {
                val filter = it.getBean(FilterRegistrationBean::class.java).filter!!
                val served = MockFilterChain()
                filter.doFilter(MockHttpServletRequest(), MockHttpServletResponse(), served)
                served.request shouldNotBe null
            }
        }

        test("a WebFlux application has the WebFilter, unless it is switched off") {
            val reactive = ReactiveWebApplicationContextRunner().withConfiguration(auto)
            val seen = mutableListOf<Upstream>()
            reactive.run { it.getBeansOfType(RetryUpstreamWebFilter::class.java).size shouldBe 1 }
            reactive.withPropertyValues("reprise.upstream.enabled=false").run {
                it.getBeansOfType(RetryUpstreamWebFilter::class.java).size shouldBe 0
            }
            reactive.withBean("own", RetryUpstreamWebFilter::class.java, Consumer<Upstream> { seen += it }).run {
                it.getBeansOfType(RetryUpstreamWebFilter::class.java).keys shouldBe setOf("own")
            }
        }
    })
