/** Quotas and send rates that many processes share through Redis. */
module dev.reprise.redis {
    requires transitive dev.reprise.coroutines;
    requires transitive lettuce.core;
    requires io.netty.common;

    exports dev.reprise.redis;
}
