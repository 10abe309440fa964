package dev.reprise.java.internal;

import dev.reprise.core.shell.JvmOnly;

/**
 * A daemon thread of this library. It outlives the call that starts it, and keeps neither the class loader nor, but on
 * Android, which lacks the constructor, the inheritable thread-locals of its caller.
 */
@JvmOnly
public final class OwnThread extends Thread {
    private final Object owner;

    private OwnThread(Object owner, String name, Runnable work, boolean inherits) {
        super(null, work, name, 0, inherits);
        this.owner = owner;
    }

    private OwnThread(Object owner, String name, Runnable work) {
        super(null, work, name);
        this.owner = owner;
    }

    /** Returns a new thread of {@code owner}. */
    public static Thread of(Object owner, String name, Runnable work) {
        Thread thread;
        try {
            thread = new OwnThread(owner, name, work, false);
        } catch (NoSuchMethodError e) {
            thread = new OwnThread(owner, name, work);
        }
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        return thread;
    }

    /** Whether {@code thread} is one of {@code owner}. */
    public static boolean isOf(Object owner, Thread thread) {
        return thread instanceof OwnThread own && own.owner == owner;
    }
}
