package dev.reprise.samples.migrating;

/** What each sample makes twice: with another library and with Reprise. Public for the proxies of Spring. */
public interface Users {
    String user(String id) throws Exception;
}
