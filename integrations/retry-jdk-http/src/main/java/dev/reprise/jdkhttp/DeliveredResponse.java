package dev.reprise.jdkhttp;

import dev.reprise.core.shell.layers.GiveUpMark;
import dev.reprise.core.shell.layers.Marked;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/** A response of which something is not as the client below has it: its body, its request, or that its call gave up. */
final class DeliveredResponse<T> implements HttpResponse<T>, Marked {
    private final HttpResponse<?> head;
    private final HttpRequest request;
    private final T body;
    private final GiveUpMark mark;

    DeliveredResponse(HttpResponse<?> head, HttpRequest request, T body, GiveUpMark mark) {
        this.head = head;
        this.request = request;
        this.body = body;
        this.mark = mark;
    }

    @Override
    public GiveUpMark getGiveUpMark() {
        return mark;
    }

    @Override
    public int statusCode() {
        return head.statusCode();
    }

    @Override
    public HttpRequest request() {
        return request;
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
        return head.previousResponse()
                .map(previous -> new DeliveredResponse<>(previous, previous.request(), null, null));
    }

    @Override
    public HttpHeaders headers() {
        return head.headers();
    }

    @Override
    public T body() {
        return body;
    }

    @Override
    public Optional<SSLSession> sslSession() {
        return head.sslSession();
    }

    @Override
    public URI uri() {
        return head.uri();
    }

    @Override
    public HttpClient.Version version() {
        return head.version();
    }

    @Override
    public String toString() {
        return head.toString();
    }
}
