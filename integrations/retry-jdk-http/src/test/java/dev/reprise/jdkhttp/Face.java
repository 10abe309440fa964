package dev.reprise.jdkhttp;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutionException;

/** The two ways to send, which every law holds for. */
enum Face {
    SYNC {
        @Override
        <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> handler) throws Exception {
            return client.send(request, handler);
        }
    },

    ASYNC {
        @Override
        <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> handler) throws Exception {
            try {
                return client.sendAsync(request, handler).get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception own) throw own;
                throw e;
            }
        }
    };

    abstract <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> handler) throws Exception;
}
