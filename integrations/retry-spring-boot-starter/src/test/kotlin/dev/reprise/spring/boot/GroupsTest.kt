package dev.reprise.spring.boot

import dev.reprise.spring.http.Idempotent
import dev.reprise.spring.http.RetryAttributes
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.http.HttpStatus
import org.springframework.mock.http.client.MockClientHttpResponse
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer
import org.springframework.web.service.annotation.PostExchange
import org.springframework.web.service.registry.ImportHttpServices

interface Retried {
    @Idempotent
    @PostExchange("http://retried")
    fun post()
}

interface Plain {
    @Idempotent
    @PostExchange("http://plain")
    fun post()
}

/** Two groups, and what their clients ask of a retrier, by host. */
@Configuration(proxyBeanMethods = false)
@ImportHttpServices(group = "retried", types = [Retried::class])
@ImportHttpServices(group = "plain", types = [Plain::class])
open class TwoGroups {
    val asked = HashMap<String, Any?>()

    @Bean
    open fun answers() = RestClientHttpServiceGroupConfigurer { groups ->
        groups.forEachClient { _, client ->
            client.requestInterceptor { request, _, _ ->
                asked[request.uri.host] = request.attributes[RetryAttributes.NAME]
                MockClientHttpResponse(ByteArray(0), HttpStatus.OK)
            }
        }
    }
}

class GroupsTest :
    FunSpec({
        test("a group without a policy is left as it is, beside one that has a policy") {
            ApplicationContextRunner()
                .withConfiguration(
                    AutoConfigurations.of(RepriseAutoConfiguration::class.java, ClientAutoConfiguration::class.java),
                )
                .withUserConfiguration(TwoGroups::class.java)
                .withPropertyValues("reprise.clients.retried.policy=http").run { context ->
                    context.getBean(Retried::class.java).post()
                    context.getBean(Plain::class.java).post()

                    val asked = context.getBean(TwoGroups::class.java).asked
                    asked.mapValues { it.value != null } shouldBe mapOf("retried" to true, "plain" to false)
                }
        }
    })
