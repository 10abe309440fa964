package dev.reprise.java.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Writes a body to a temporary file beside {@code file}, and moves it there when it is whole. */
final class FileBody implements BodySubscriber<Path> {
    private final Path file;
    private final Path part;
    private final BodySubscriber<Path> writer;

    FileBody(Path file) {
        this.file = file;
        // Not createTempFile: its files are for their owner's eyes only, and this one is to be the caller's.
        part = file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".part");
        writer = BodySubscribers.ofFile(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        writer.onSubscribe(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
        writer.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
        writer.onError(failure);
    }

    @Override
    public void onComplete() {
        writer.onComplete();
    }

    @Override
    public CompletionStage<Path> getBody() {
        return writer.getBody().thenApply(whole -> moved()).whenComplete((path, failure) -> {
            if (failure != null) delete();
        });
    }

    private Path moved() {
        try {
            return Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            return replaced();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path replaced() {
        try {
            return Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            // The body's own failure is what the caller has to know.
        }
    }
}
