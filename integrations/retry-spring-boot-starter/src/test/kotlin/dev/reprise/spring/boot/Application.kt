package dev.reprise.spring.boot

import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Reply
import dev.reprise.faults.Script
import dev.reprise.spring.Retry
import dev.reprise.spring.http.Idempotent
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.web.server.context.WebServerApplicationContext
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.http.ResponseEntity
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.transaction.annotation.Transactional
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.client.HttpServerErrorException
import org.springframework.web.client.RestClient
import org.springframework.web.service.annotation.GetExchange
import org.springframework.web.service.annotation.PostExchange
import org.springframework.web.service.annotation.PutExchange
import org.springframework.web.service.registry.ImportHttpServices
import java.net.ConnectException
import java.util.concurrent.ConcurrentLinkedQueue

/** The client of a service that fails. */
interface OrdersApi {
    @GetExchange("/order")
    fun get(): String

    @PutExchange("/order")
    fun put(@org.springframework.web.bind.annotation.RequestBody order: String): String

    @Idempotent
    @PostExchange("/order")
    fun postAgain(@org.springframework.web.bind.annotation.RequestBody order: String): String

    @PostExchange("/order")
    fun post(@org.springframework.web.bind.annotation.RequestBody order: String): String
}

open class OrderService(private val jdbc: JdbcTemplate) {
    var calls = 0

    @Retry("orders")
    @Transactional(rollbackFor = [Exception::class])
    open fun place(id: Int): Int {
        jdbc.update("insert into orders values (?)", id)
        if (++calls < 3) throw ConnectException("after the insert")
        return calls
    }
}

@RestController
class OrderController(private val orders: OrdersApi, private val service: OrderService) {
    @GetMapping("/orders")
    fun order(): String = orders.get()

    /** Answers itself where the service below gave up. */
    @GetMapping("/answered")
    fun answered(): ResponseEntity<String> = try {
        ResponseEntity.ok(orders.get())
    } catch (e: HttpServerErrorException) {
        ResponseEntity.status(503).body("no orders: ${e.statusCode.value()}")
    }

    @GetMapping("/broken")
    fun broken(): String = throw IllegalStateException("a mistake")

    @GetMapping("/place/{id}")
    fun place(@PathVariable id: Int): Int = service.place(id)
}

@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@ImportHttpServices(group = "orders", types = [OrdersApi::class])
@Import(OrderService::class, OrderController::class)
open class Application

/** The one application that all tests share, on a real port, in front of a service that does as it is told. */
object Running {
    private val replies = ConcurrentLinkedQueue<Reply>()

    /** The service: what it is told by [serves], then whole responses. */
    val service = FaultServer(Script { _, _ -> replies.poll() ?: Fault.NONE })

    val context = SpringApplicationBuilder(Application::class.java)
        .web(WebApplicationType.SERVLET)
        .properties(
            "server.port=0",
            "spring.main.banner-mode=off",
            "logging.level.root=WARN",
            "spring.datasource.url=jdbc:h2:mem:starter",
            "management.endpoints.web.exposure.include=reprise,metrics",
            "spring.http.serviceclient.orders.base-url=${service.uri()}",
            "reprise.clients.orders.policy=orders",
            "reprise.policies.orders.preset=http",
            "reprise.policies.orders.max-attempts=4",
            "reprise.policies.orders.backoff.type=fixed",
            "reprise.policies.orders.backoff.delay=1ms",
        ).run()!!

    init {
        context.getBean(JdbcTemplate::class.java).execute("create table orders(id int primary key)")
    }

    /** A client of the application itself. */
    // Over a client that repeats nothing: Apache's, which is on the class path too, repeats a 503.
    val client: RestClient = RestClient.builder()
        .baseUrl("http://127.0.0.1:${(context as WebServerApplicationContext).webServer!!.port}")
        .requestFactory(JdkClientHttpRequestFactory())
        .build()

    /** Makes the service give these [replies] to the next requests. */
    fun serves(vararg replies: Reply) {
        this.replies.clear()
        this.replies += replies
    }
}
