/** Retries for Spring Boot. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring's jars have no descriptors.
module dev.reprise.spring.boot {
    requires transitive dev.reprise.spring;
    requires dev.reprise.presets;
}
