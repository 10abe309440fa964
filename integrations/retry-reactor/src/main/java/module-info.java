/** Retries for Project Reactor. */
module dev.reprise.reactor {
    requires transitive dev.reprise.coroutines;
    requires transitive reactor.core;
    requires org.reactivestreams;
    requires static kotlinx.coroutines.reactor;

    exports dev.reprise.reactor;
}
