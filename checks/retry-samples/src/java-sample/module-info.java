/** A user of the library who writes Java, with modules. */
module dev.reprise.samples.java {
    requires dev.reprise.java;
    requires java.net.http;
}
