/** Retries for Spring. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring's jars have no descriptors.
module dev.reprise.spring {
    requires transitive dev.reprise.java;
    requires static dev.reprise.reactor;
    requires static transitive spring.core;
    requires static transitive spring.context;
    requires static spring.aop;
    requires static spring.beans;
    requires static jakarta.servlet;
    requires static org.apache.httpcomponents.client5.httpclient5;
    requires static org.apache.httpcomponents.core5.httpcore5;
    requires static org.eclipse.jetty.client;
    requires static reactor.netty.core;
    requires static reactor.netty.http;
    requires static transitive spring.web;
    requires static transitive spring.webflux;
    requires static transitive reactor.core;
    requires static org.reactivestreams;
    requires static org.jspecify;
    requires static kotlinx.coroutines.reactor;
    requires static context.propagation;
    requires static transitive micrometer.observation;

    exports dev.reprise.spring;
    exports dev.reprise.spring.http;
    exports dev.reprise.spring.method;
    exports dev.reprise.spring.observation;
    exports dev.reprise.spring.servlet;
    exports dev.reprise.spring.server;
    exports dev.reprise.spring.webclient;
}
