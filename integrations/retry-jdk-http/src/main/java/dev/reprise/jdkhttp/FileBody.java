package dev.reprise.jdkhttp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** Writes a body to a temporary file, and moves it when it is whole. */
final class FileBody {
    private FileBody() {}

    /** The body that is {@code file} when it is whole. */
    static BodySubscriber<Path> of(Path file) {
        // Not createTempFile: its files are for their owner's eyes only, and this one is to be the caller's.
        Path part = file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".part");
        BodySubscriber<Path> written =
                BodySubscribers.ofFile(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new MadeBody<>(
                written,
                true,
                end -> end.thenApply(whole -> moved(part, file)).whenComplete((path, failure) -> {
                    if (failure != null) delete(part);
                }));
    }

    private static Path moved(Path part, Path file) {
        try {
            return replaced(part, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path replaced(Path part, Path file) throws IOException {
        try {
            return Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            return Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void delete(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            // The caller must see the body's own failure.
        }
    }
}
