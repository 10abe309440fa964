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
record DeliveredResponse<T>(HttpResponse<?> head, HttpRequest request, T body, GiveUpMark mark)
        implements HttpResponse<T>, Marked {
    @Override
    public GiveUpMark getGiveUpMark() {
        return mark;
    }

    @Override
    public int statusCode() {
        return head.statusCode();
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
