/** The retry engine. */
module dev.reprise.core {
    requires transitive kotlin.stdlib;
    requires transitive kotlinx.serialization.json;
}
