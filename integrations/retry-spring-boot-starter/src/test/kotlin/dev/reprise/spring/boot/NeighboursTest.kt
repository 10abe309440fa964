package dev.reprise.spring.boot

import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.springframework.aop.support.AopUtils
import org.springframework.beans.factory.FactoryBean
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition
import org.springframework.boot.WebApplicationType
import org.springframework.boot.actuate.endpoint.annotation.Endpoint
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.test.context.runner.WebApplicationContextRunner
import org.springframework.boot.web.server.context.WebServerApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.web.client.RestClient

/** The endpoint that resilience4j's starter has: Boot starts no application with two of one id. */
@Endpoint(id = "retries")
class OthersEndpoint {
    @ReadOperation
    fun retries(): String = "another's"
}

/** Beans as resilience4j's starter and an application have them. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
open class Neighbours {
    @Bean
    open fun retryRegistry(): Any = "another's"

    @Bean
    open fun retryMetrics(): Any = "the application's"

    @Bean
    open fun retriesEndpoint(): OthersEndpoint = OthersEndpoint()
}

/** Needed by a factory, and so made with it. */
open class Needed {
    @Retry
    open fun thread(): String = Thread.currentThread().name
}

/** A factory that does not say what it makes: whoever asks for beans by type has to make it first. */
class Vague(val needed: Needed) : FactoryBean<Any> {
    override fun getObject(): Any = "made"

    override fun getObjectType(): Class<*>? = null
}

@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Needed::class, Vague::class)
open class Factories

class NeighboursTest :
    FunSpec({
        test("an application with resilience4j's beans and endpoint starts, and has both libraries' endpoints") {
            SpringApplicationBuilder(Neighbours::class.java).web(WebApplicationType.SERVLET).properties(
                "server.port=0",
                "spring.main.banner-mode=off",
                "logging.level.root=WARN",
                "spring.datasource.url=jdbc:h2:mem:neighbours",
                "management.endpoints.web.exposure.include=*",
            ).run().use { context ->
                context.getBean(RetryRegistry::class.java).names shouldBe setOf("default", "http")
                val port = (context as WebServerApplicationContext).webServer!!.port
                val client = RestClient.create("http://127.0.0.1:$port/actuator")
                client.get().uri("/retries").retrieve().body(String::class.java) shouldBe "another's"
                client.get().uri("/reprise").retrieve().body(String::class.java)!! shouldContain "\"default\""
            }
        }

        test(
            "no factory of others is made before all post-processors are there, so that what it needs has its proxies",
        ) {
            SpringApplicationBuilder(Factories::class.java).web(WebApplicationType.NONE).properties(
                "spring.main.banner-mode=off",
                "logging.level.root=WARN",
                "spring.datasource.url=jdbc:h2:mem:factories",
            ).run().use { context -> AopUtils.isAopProxy(context.getBean(Needed::class.java)) shouldBe true }
        }

        test("every bean of the starter has a name of its own") {
            val configurations = listOf(
                RepriseAutoConfiguration::class.java,
                ClientAutoConfiguration::class.java,
                UpstreamAutoConfiguration::class.java,
            )
            WebApplicationContextRunner().withConfiguration(AutoConfigurations.of(*configurations.toTypedArray()))
                .withPropertyValues("reprise.take-over-retryable=true").run { context ->
                    for (beans in listOf(context.beanFactory, Running.context.beanFactory)) {
                        val own = beans.beanDefinitionNames.filter {
                            val definition = beans.getBeanDefinition(it) as? AnnotatedBeanDefinition
                            val made = definition?.factoryMethodMetadata?.declaringClassName.orEmpty()
                            made.startsWith("dev.reprise.spring.boot.") && "AutoConfiguration" in made
                        }
                        own.shouldNotBeEmpty()
                        own.filterNot { it.startsWith("reprise") } shouldBe emptyList()
                    }
                }
        }
    })
