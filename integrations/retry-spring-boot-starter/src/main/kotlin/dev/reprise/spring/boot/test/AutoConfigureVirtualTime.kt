package dev.reprise.spring.boot.test

import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.boot.RepriseAutoConfiguration
import dev.reprise.test.VirtualTime
import org.springframework.boot.autoconfigure.ImportAutoConfiguration
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import java.lang.annotation.Inherited

/**
 * On a test class, lets the retriers of the application wait in virtual time, so that a test of hours of retries takes no time.
 * The [VirtualTime] is a bean. Also in a slice of the application, whose auto-configuration leaves retries out. Needs `retry-test`.
 *
 * Blocking calls wait on the thread that makes them. A future ends in [VirtualTime.join], a suspend function in
 * [VirtualTime.run]. `runTest`, and for a `Mono` or `Flux` Reactor's `StepVerifier.withVirtualTime`, skip the waits too, but do not
 * move the clock of the policy's deadline. Delays are the longest that the policy allows. In adaptive mode only suspend
 * functions wait for send permits in it.
 */
@Target(AnnotationTarget.CLASS)
@Retention(AnnotationRetention.RUNTIME)
@MustBeDocumented
@Inherited
@Import(VirtualTimeConfiguration::class)
@ImportAutoConfiguration(RepriseAutoConfiguration::class)
public annotation class AutoConfigureVirtualTime

/** The beans behind [AutoConfigureVirtualTime]. */
@Configuration(proxyBeanMethods = false)
public open class VirtualTimeConfiguration {
    /** The time in which all retriers wait. */
    @Bean
    public open fun virtualTime(): VirtualTime = VirtualTime()

    @Bean("virtualRetries")
    internal open fun virtualRetries(time: VirtualTime): RetryConfigurer = RetryConfigurer { _, builder ->
        builder.clock(time).waiter(time).executor(time.executor).draws(VirtualTime.LONGEST)
    }
}
