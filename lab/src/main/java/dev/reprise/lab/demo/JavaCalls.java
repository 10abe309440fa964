package dev.reprise.lab.demo;

import dev.reprise.java.JavaRetrier;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** The demo's calls as a Java user writes them. */
final class JavaCalls {
    private JavaCalls() {}

    /** Blocks this thread until the call has ended. */
    static Answer blocking(JavaRetrier retrier, HttpClient http, HttpRequest request) throws Exception {
        return retrier.call(() -> new Answer(http.send(request, BodyHandlers.discarding())));
    }

    /** Holds no thread, neither in an attempt nor in a wait. */
    static CompletableFuture<Answer> async(JavaRetrier retrier, HttpClient http, HttpRequest request) {
        return retrier.callAsync(
                () -> http.sendAsync(request, BodyHandlers.discarding()).thenApply(Answer::new));
    }
}
