/** Retries for Project Reactor. */
module dev.reprise.reactor {
    requires transitive dev.reprise.coroutines;
    requires transitive reactor.core;
    requires org.reactivestreams;

    exports dev.reprise.reactor;
}
