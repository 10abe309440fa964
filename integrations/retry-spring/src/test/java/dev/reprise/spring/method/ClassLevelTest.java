package dev.reprise.spring.method;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.spring.Retry;
import java.net.ConnectException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** In Java, since Kotlin has no method that only its package sees. */
@DisplayName("@Retry on a class")
class ClassLevelTest {
    @Retry("four")
    static class Job {
        int calls;

        public void open() throws ConnectException {
            fail();
        }

        protected void step() throws ConnectException {
            fail();
        }

        void hidden() throws ConnectException {
            fail();
        }

        @Retry("two")
        void named() throws ConnectException {
            fail();
        }

        private void fail() throws ConnectException {
            calls++;
            throw new ConnectException();
        }
    }

    @Test
    @DisplayName("is for its public methods, and one on a method for any that the proxy sees")
    void publicMethods() {
        try (var context = MethodsKt.contextOf(Job.class)) {
            Job job = context.getBean(Job.class);
            Job target = TargetsKt.targetOf(job);

            assertThrows(ConnectException.class, job::open);
            assertEquals(4, target.calls);
            assertThrows(ConnectException.class, job::step);
            assertThrows(ConnectException.class, job::hidden);
            assertEquals(6, target.calls);
            assertThrows(ConnectException.class, job::named);
            assertEquals(8, target.calls);
        }
    }
}
