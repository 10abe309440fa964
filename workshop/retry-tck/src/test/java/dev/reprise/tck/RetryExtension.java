package dev.reprise.tck;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.util.AnnotationLiteral;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;
import org.eclipse.microprofile.faulttolerance.exceptions.FaultToleranceDefinitionException;

/** Binds the interceptor to the beans with MicroProfile's annotations, and checks what these say at deployment. */
public final class RetryExtension implements Extension {
    private final List<Exception> problems = new ArrayList<>();

    void addInterceptor(@Observes BeforeBeanDiscovery event) {
        event.addAnnotatedType(RetryInterceptor.class, RetryInterceptor.class.getName());
    }

    <T> void bind(@Observes ProcessAnnotatedType<T> event) {
        var type = event.getAnnotatedType();
        if (!isRetried(type)) return;
        event.configureAnnotatedType().add(new RetriedLiteral());
        for (var method : type.getMethods()) {
            try {
                new MethodSettings(type.getJavaClass(), method.getJavaMember()).check();
            } catch (IllegalArgumentException problem) {
                problems.add(new FaultToleranceDefinitionException(method + ": " + problem.getMessage(), problem));
            }
        }
    }

    void report(@Observes AfterDeploymentValidation event) {
        problems.forEach(event::addDeploymentProblem);
    }

    private static boolean isRetried(AnnotatedType<?> type) {
        return List.of(Retry.class, Timeout.class, Asynchronous.class).stream()
                .anyMatch(annotation -> type.isAnnotationPresent(annotation)
                        || type.getMethods().stream().anyMatch(method -> method.isAnnotationPresent(annotation))
                        || Arrays.stream(type.getJavaClass().getMethods())
                                .anyMatch(method -> method.isAnnotationPresent(annotation)));
    }

    @SuppressWarnings("serial")
    private static final class RetriedLiteral extends AnnotationLiteral<Retried> implements Retried {}
}
