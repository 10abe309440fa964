/** A modular program that is linked into a run-time image. */
module dev.reprise.clients.jpms {
    requires dev.reprise.java;
    requires dev.reprise.presets;
}
