/** Tests of code that retries: virtual time, scripted outcomes, recorded calls, injected faults. */
module dev.reprise.test {
    requires transitive dev.reprise.java;
    requires transitive kotlinx.coroutines.core;
    requires static transitive java.net.http;
    requires static io.ktor.client.mock;

    exports dev.reprise.test;
}
