package dev.reprise.spring.boot

import dev.reprise.spring.RetryRegistry
import org.springframework.context.ApplicationEvent
import org.springframework.context.ApplicationListener
import org.springframework.core.env.Environment

/**
 * Replaces the policies of [registry] by those that [environment] has now, when Spring Cloud says that it changed, or when asked. A
 * name that the properties no longer have goes back to the policy that it has without them: of the code, of `@Retryable`, or a
 * built-in one. A name that only the properties had stays as it was.
 */
public class RetryPolicyRefresh internal constructor(
    private val environment: Environment,
    private val registry: RetryRegistry,
) : ApplicationListener<ApplicationEvent> {
    override fun onApplicationEvent(event: ApplicationEvent) {
        if (event.javaClass.name == CHANGED) refresh()
    }

    /**
     * Reads the policies again. Nothing changes if one of them is wrong.
     *
     * @throws PolicyPropertyException if one is not a policy
     */
    // Reads in turn too: the older of two readings must not be laid over last.
    @Synchronized
    public fun refresh(): Unit = registry.layOver(PolicyProperties.read(environment))
}

private const val CHANGED = "org.springframework.cloud.context.environment.EnvironmentChangeEvent"
