package dev.reprise.spring.boot

import dev.reprise.core.RetryTrace
import dev.reprise.faults.Fault
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.micrometer.core.instrument.MeterRegistry
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import org.springframework.http.HttpMethod
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.web.client.HttpClientErrorException
import org.springframework.web.client.HttpServerErrorException

private fun get(path: String) = Running.client.get().uri(path).retrieve().body(String::class.java)!!

class ApplicationTest :
    FunSpec({
        val api = Running.context.getBean(OrdersApi::class.java)

        test("a request through the application reaches the service as often as its policy says") {
            val before = Running.service.served()
            Running.serves(Fault.UNAVAILABLE, Fault.RESET, Fault.CUT_BODY)

            get("/orders") shouldBe Fault.BODY

            Running.service.served() - before shouldBe 4
        }

        test("a group's PUT is repeated with its body, its POST only if it is marked as idempotent") {
            Running.serves(Fault.UNAVAILABLE)
            val before = Running.service.bodies().size
            api.put("seven") shouldBe Fault.BODY
            Running.service.bodies().drop(before) shouldBe listOf("seven", "seven")

            Running.serves(Fault.UNAVAILABLE)
            shouldThrow<HttpServerErrorException> { api.post("seven") }

            Running.serves(Fault.UNAVAILABLE)
            api.postAgain("seven") shouldBe Fault.BODY
        }

        test("a method with @Retry around @Transactional has a transaction for each attempt") {
            get("/place/1") shouldBe "3"

            Running.context.getBean(JdbcTemplate::class.java)
                .queryForObject("select count(*) from orders", Int::class.java) shouldBe 1
        }

        test("the actuator shows policies, quotas of hosts and the calls that were given up") {
            Running.serves(Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE)
            val thrown = shouldThrow<HttpServerErrorException> { api.get() }
            RetryTrace.of(thrown)!!.attempts shouldBe 4

            val all = Json.parseToJsonElement(get("/actuator/reprise")).jsonObject["retries"]!!.jsonObject
            all.keys shouldBe setOf("default", "http", "orders")
            val orders = Json.parseToJsonElement(get("/actuator/reprise/orders")).jsonObject
            orders shouldBe all.getValue("orders").jsonObject.let { orders }
            orders["policy"]!!.jsonObject["maxAttempts"]!!.jsonPrimitive.content shouldBe "4"
            val host = orders["hosts"]!!.jsonObject["127.0.0.1:${Running.service.uri().port}"]!!.jsonObject
            host["quota"]!!.jsonObject["capacity"]!!.jsonPrimitive.content shouldBe "500"
            val last = orders["lastHttpGiveUps"]!!.jsonArray.first().jsonObject
            last["attempts"]!!.jsonPrimitive.content shouldBe "4"
            last["operation"]!!.jsonPrimitive.content shouldContain "GET"

            Running.serves(Fault.UNAVAILABLE)
            shouldThrow<HttpServerErrorException> { api.post("seven") }
            val post = Json.parseToJsonElement(get("/actuator/reprise/orders")).jsonObject["lastHttpGiveUps"]!!
            post.jsonArray.first().jsonObject["detail"]!!.jsonPrimitive.content shouldBe "something may have been sent"
        }

        test("the actuator cannot be written to, and knows no other names") {
            shouldThrow<HttpClientErrorException.MethodNotAllowed> {
                Running.client.method(HttpMethod.POST).uri("/actuator/reprise/orders").retrieve().toBodilessEntity()
            }
            shouldThrow<HttpClientErrorException.NotFound> { get("/actuator/reprise/other") }
        }

        test("requests are measured, with the policy's name and /http as client") {
            Running.serves(Fault.UNAVAILABLE)
            api.get()

            val meters = Running.context.getBean(MeterRegistry::class.java)
            val retries = meters.get("reprise.retries").tag("client", "orders/http").counters()
            retries.sumOf { it.count() } shouldBeGreaterThan 0.0
            get("/actuator/metrics/reprise.quota.available") shouldContain "orders/http"
        }

        test("each attempt is observed, and with that timed") {
            Running.serves(Fault.UNAVAILABLE)
            api.get()

            val meters = Running.context.getBean(MeterRegistry::class.java)
            for ((attempt, outcome) in mapOf("1" to "transient", "2" to "success")) {
                meters.get("reprise.attempt").tags("client", "orders", "attempt", attempt, "outcome", outcome)
                    .timer().count() shouldBeGreaterThan 0
            }
        }
    })
