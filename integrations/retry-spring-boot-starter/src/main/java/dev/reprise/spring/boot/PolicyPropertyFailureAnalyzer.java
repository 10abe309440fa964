package dev.reprise.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Prints a {@link PolicyPropertyException} as Spring Boot prints wrong properties. In Java, since Boot makes a class
 * written in Kotlin only where kotlin-reflect is there.
 */
class PolicyPropertyFailureAnalyzer extends AbstractFailureAnalyzer<PolicyPropertyException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, PolicyPropertyException cause) {
        boolean isPolicy = cause.getProperty().startsWith(PolicyProperties.PREFIX);
        String form = isPolicy ? " Its members are listed in the KDoc of PolicyJson, with examples." : "";
        return new FailureAnalysis(
                "A property is wrong: " + cause.getMessage(), "Correct " + cause.getProperty() + "." + form, cause);
    }
}
