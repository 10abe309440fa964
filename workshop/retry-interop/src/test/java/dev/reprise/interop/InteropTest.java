package dev.reprise.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

class InteropTest {
    @Test
    void theCasesDoNotNoticeTheInterceptor() {
        Result result = JUnitCore.runClasses(InteropCases.class);

        assertEquals(List.of(), result.getFailures());
        assertTrue(result.getRunCount() > 30, "only " + result.getRunCount() + " cases ran");
    }
}
