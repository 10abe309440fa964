package dev.reprise.samples.migrating;

import static dev.reprise.samples.migrating.Api.Step.BROKEN;
import static dev.reprise.samples.migrating.Api.Step.DOWN;
import static dev.reprise.samples.migrating.Api.Step.EMPTY;
import static dev.reprise.samples.migrating.Api.Step.FOUND;
import static dev.reprise.samples.migrating.Api.Step.MISSING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.github.rholder.retry.AttemptTimeLimiters;
import com.github.rholder.retry.RetryException;
import dev.failsafe.FailsafeException;
import dev.reprise.core.BadResultException;
import dev.reprise.samples.migrating.Api.Step;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor;
import org.springframework.retry.annotation.AnnotationAwareRetryOperationsInterceptor;

/** The same lookup with each library and with Reprise, against the same failures: same attempts, same end. */
class MigratingFromJavaTest {
    private record Move(String from, Function<Api, Users> before, Function<Api, Users> after) {
        @Override
        public String toString() {
            return from;
        }
    }

    /** How a call ended. */
    private record End(int attempts, String result) {}

    private static final Move RESILIENCE4J =
            new Move("resilience4j", Resilience4jUsers::new, AfterResilience4jUsers::new);
    private static final Move FAILSAFE = new Move("Failsafe", FailsafeUsers::new, AfterFailsafeUsers::new);
    private static final Move SPRING_RETRY =
            new Move("Spring Retry", api -> springRetry(new SpringRetryUsers(api)), AfterSpringUsers::new);
    private static final Move SPRING_FRAMEWORK =
            new Move("Spring Framework", api -> spring(new SpringFrameworkUsers(api)), AfterSpringUsers::new);
    private static final Move GUAVA = new Move("Guava-retrying", GuavaRetryingUsers::new, AfterGuavaRetryingUsers::new);

    static Stream<Arguments> calls() {
        return Stream.concat(
                Stream.of(RESILIENCE4J, FAILSAFE, SPRING_RETRY, SPRING_FRAMEWORK, GUAVA)
                        .flatMap(move -> Stream.of(
                                Arguments.of(move, List.of(FOUND), new End(1, "user 7")),
                                Arguments.of(move, List.of(DOWN, DOWN, FOUND), new End(3, "user 7")),
                                Arguments.of(move, List.of(DOWN), new End(4, "IOException: down")),
                                Arguments.of(
                                        move, List.of(BROKEN, FOUND), new End(1, "IllegalStateException: broken")))),
                Stream.concat(
                        Stream.of(RESILIENCE4J, FAILSAFE, SPRING_RETRY, SPRING_FRAMEWORK)
                                .map(move -> Arguments.of(
                                        move,
                                        List.of(DOWN, MISSING, FOUND),
                                        new End(2, "FileNotFoundException: missing"))),
                        Stream.of(
                                Arguments.of(RESILIENCE4J, List.of(EMPTY, FOUND), new End(2, "user 7")),
                                Arguments.of(RESILIENCE4J, List.of(EMPTY), new End(4, "")),
                                Arguments.of(FAILSAFE, List.of(EMPTY, FOUND), new End(1, "")),
                                Arguments.of(GUAVA, List.of(EMPTY, FOUND), new End(2, "user 7")),
                                Arguments.of(GUAVA, List.of(EMPTY), new End(4, "not good: ")),
                                Arguments.of(GUAVA, List.of(MISSING, FOUND), new End(2, "user 7")))));
    }

    @ParameterizedTest(name = "{0}, {1}: {2}")
    @MethodSource("calls")
    void bothMakeTheSameAttemptsAndEndAlike(Move move, List<Step> script, End end) {
        assertEquals(end, end(script, move.before()), "before");
        assertEquals(end, end(script, move.after()), "after");
    }

    @Test
    void theAttemptTimeLimitOfGuavaRetryingNeedsAnOldGuava() {
        assertThrows(LinkageError.class, () -> AttemptTimeLimiters.fixedTimeLimit(1, TimeUnit.SECONDS));
    }

    private static End end(List<Step> script, Function<Api, Users> library) {
        Api api = new Api(script);
        Users users = library.apply(api);
        String result;
        try {
            result = users.user("7");
        } catch (Exception e) {
            result = tell(e);
        }
        return new End(api.attempts(), result);
    }

    /** The exception of the last attempt: some libraries wrap it, Reprise never does. */
    private static String tell(Exception failure) {
        if (failure instanceof BadResultException bad) return "not good: " + bad.getResult();
        if (failure instanceof RetryException retried
                && retried.getLastFailedAttempt().hasResult()) {
            return "not good: " + retried.getLastFailedAttempt().getResult();
        }
        boolean isWrapper = failure instanceof RetryException
                || failure instanceof ExecutionException
                || failure instanceof FailsafeException;
        Throwable own = isWrapper ? failure.getCause() : failure;
        return own.getClass().getSimpleName() + ": " + own.getMessage();
    }

    private static Users springRetry(Users users) {
        ProxyFactory factory = new ProxyFactory(users);
        factory.addAdvisor(new DefaultPointcutAdvisor(new AnnotationAwareRetryOperationsInterceptor()));
        return (Users) factory.getProxy();
    }

    private static Users spring(Users users) {
        RetryAnnotationBeanPostProcessor processor = new RetryAnnotationBeanPostProcessor();
        // As Spring Boot has it.
        processor.setProxyTargetClass(true);
        return (Users) processor.postProcessAfterInitialization(users, "users");
    }
}
