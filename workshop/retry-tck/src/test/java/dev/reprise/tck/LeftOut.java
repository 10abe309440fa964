package dev.reprise.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;

/** Leaves out the tests that left-out.txt names, each with its reason; runs all others of the TCK. */
public final class LeftOut implements IMethodInterceptor {
    private static final String TCK = "org.eclipse.microprofile.fault.tolerance.tck.";

    private final List<String> leftOut = read();

    @Override
    public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
        return methods.stream().filter(method -> !isLeftOut(method)).toList();
    }

    private boolean isLeftOut(IMethodInstance instance) {
        var method = instance.getMethod();
        var name = (method.getRealClass().getName() + "#" + method.getMethodName()).substring(TCK.length());
        return leftOut.stream().anyMatch(name::startsWith);
    }

    private static List<String> read() {
        try (var file = LeftOut.class.getResourceAsStream("/left-out.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split(": ")[0])
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
