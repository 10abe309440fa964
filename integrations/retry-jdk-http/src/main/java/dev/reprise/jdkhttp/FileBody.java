package dev.reprise.jdkhttp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** Writes a body to a temporary file beside {@code file}, and moves it there when it is whole. */
final class FileBody extends PassedOnBody<Path, Path> {
    private final Path file;
    private final Path part;

    FileBody(Path file) {
        // Not createTempFile: its files are for their owner's eyes only, and this one is to be the caller's.
        this(file, file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".part"));
    }

    private FileBody(Path file, Path part) {
        super(BodySubscribers.ofFile(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        this.file = file;
        this.part = part;
    }

    @Override
    public CompletionStage<Path> getBody() {
        return source.getBody().thenApply(whole -> moved()).whenComplete((path, failure) -> {
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
            // The caller must see the body's own failure.
        }
    }
}
