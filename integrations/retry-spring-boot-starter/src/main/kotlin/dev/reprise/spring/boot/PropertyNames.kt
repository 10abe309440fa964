package dev.reprise.spring.boot

import org.springframework.boot.context.properties.source.ConfigurationPropertyName
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form
import org.springframework.boot.context.properties.source.ConfigurationPropertySource
import org.springframework.boot.context.properties.source.ConfigurationPropertySources
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource
import org.springframework.core.env.Environment
import org.springframework.core.env.PropertySource
import org.springframework.core.env.StandardEnvironment

/**
 * Logs the properties under `reprise` that nothing reads, since they are misspelt. The members of policies are left to
 * [PolicyProperties]; variables and the JVM's properties may be another program's.
 */
internal class PropertyNames(environment: Environment) {
    init {
        ConfigurationPropertySources.get(environment).filterNot(::isShared)
            .filterIsInstance<IterableConfigurationPropertySource>()
            .flatMap { it }
            .filter { PREFIX.isAncestorOf(it) && !POLICIES.isAncestorOf(it) && !isKnown(it) }
            .distinct()
            .forEach { warn("$it: no such property, there are ${KNOWN.joinToString()}") }
    }

    private fun isShared(source: ConfigurationPropertySource) =
        (source.underlyingSource as? PropertySource<*>)?.name in SHARED

    /** A client's group has any name. */
    private fun isKnown(name: ConfigurationPropertyName) = name in SETTINGS ||
        (CLIENTS.isParentOf(name.parent) && name.getLastElement(Form.UNIFORM) == "policy")

    private companion object {
        val PREFIX: ConfigurationPropertyName = ConfigurationPropertyName.of("reprise")
        val POLICIES: ConfigurationPropertyName = ConfigurationPropertyName.of(PolicyProperties.PREFIX)
        val CLIENTS: ConfigurationPropertyName = ConfigurationPropertyName.of("reprise.clients")
        val SETTINGS = listOf(
            "reprise.logging",
            "reprise.metrics.max-operations",
            "reprise.metrics.histograms",
            "reprise.take-over-retryable",
            "reprise.upstream.enabled",
        ).map { ConfigurationPropertyName.of(it) }
        val KNOWN = listOf("reprise.policies.<name>.*", "reprise.clients.<group>.policy") + SETTINGS
        val SHARED = setOf(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
        )
    }
}

/** Logs what is wrong with a property, and no error. */
internal fun warn(text: String) = System.getLogger("dev.reprise").log(System.Logger.Level.WARNING, text)
