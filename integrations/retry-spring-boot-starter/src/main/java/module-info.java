/** Retries for Spring Boot. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring's jars have no descriptors.
module dev.reprise.spring.boot {
    requires transitive dev.reprise.spring;
    requires dev.reprise.presets;
    requires kotlinx.serialization.json;
    requires static dev.reprise.micrometer;
    requires static transitive dev.reprise.test;
    requires static transitive micrometer.core;
    requires static transitive spring.boot;
    requires static transitive spring.boot.autoconfigure;
    requires static transitive spring.context;
    requires static transitive spring.core;
    requires static transitive spring.beans;
    requires static transitive spring.web;
    requires static transitive spring.webflux;
    requires static spring.boot.actuator;
    requires static spring.boot.actuator.autoconfigure;
    requires static transitive spring.boot.http.client;
    requires static org.apache.httpcomponents.client5.httpclient5;
    requires static org.eclipse.jetty.client;
    requires static reactor.netty.http;
    requires static org.jspecify;
    requires static jakarta.servlet;
    requires static reactor.core;

    exports dev.reprise.spring.boot;
    exports dev.reprise.spring.boot.test;

    opens dev.reprise.spring.boot to
            spring.boot,
            spring.core,
            spring.beans,
            spring.context;
    opens dev.reprise.spring.boot.test to
            spring.core,
            spring.beans,
            spring.context;
}
