package dev.reprise.spring.boot.internal

import org.springframework.boot.context.properties.ConfigurationProperties

/** The configuration under `reprise`, beside the policies, which `PolicyProperties` reads. */
@ConfigurationProperties("reprise")
public class RepriseProperties {
    /** Whether methods with Spring Framework's `@Retryable` are retried by this library, with the attributes of that. */
    public var takeOverRetryable: Boolean = false

    /** Whether retries and give-ups are logged, by the logger `dev.reprise`: give-ups at WARN, each step at DEBUG. */
    public var logging: Boolean = false

    /** HTTP service clients, by the name of their group. */
    public val clients: MutableMap<String, Client> = LinkedHashMap()

    /** How the policies' calls are measured. */
    public val metrics: Metrics = Metrics()

    /** How a web application's retries and those of its callers get on. */
    public val upstream: UpstreamFilters = UpstreamFilters()

    /** The filters of a web application. */
    public class UpstreamFilters {
        /** Whether calls made for a caller's retry make one attempt, and a response says that it was retried. */
        public var enabled: Boolean = true
    }

    /** An HTTP service client. */
    public class Client {
        /** The name of the policy by which its requests are retried; each host has a quota of its own. */
        public var policy: String? = null
    }

    /** How calls are measured. */
    public class Metrics {
        /** How many operations of each policy have metrics of their own; the others share those called "other". */
        public var maxOperations: Int = 0

        /** Whether there are histograms of attempts and waits. */
        public var histograms: Boolean = false
    }
}
