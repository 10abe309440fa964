/** A user of the library who writes Java, with modules. */
module dev.reprise.samples.java {
    requires dev.reprise.jdkhttp;
    requires dev.reprise.presets;
}
