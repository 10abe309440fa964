package dev.reprise.presets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryPolicy;
import dev.reprise.presets.config.AwsRetryConfig;
import dev.reprise.presets.config.ConfigOverrides;
import dev.reprise.presets.config.ConfigSources;
import dev.reprise.presets.config.RetryMode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Presets, documents and configuration as a Java caller writes them. */
class ConfigurationFromJavaTest {
    private static ConfigSources environment(Map<String, String> variables) {
        return new ConfigSources() {
            @Override
            public String property(String name) {
                return null;
            }

            @Override
            public String environment(String name) {
                return variables.get(name);
            }

            @Override
            public String home() {
                return null;
            }

            @Override
            public String file(String path) {
                return null;
            }
        };
    }

    @Test
    void aPolicyComesFromTheEnvironment() {
        ConfigSources sources = environment(Map.of("AWS_RETRY_MODE", "adaptive"));

        AwsRetryConfig config = AwsRetryConfig.resolve("dynamodb", ConfigOverrides.NONE, sources);

        assertEquals(RetryMode.ADAPTIVE, config.getRetryMode().getValue());
        assertEquals(Presets.named("adaptive-2.1", "dynamodb"), config.policy());
    }

    @Test
    void aPolicyIsWrittenAndReadBack() {
        RetryPolicy policy = Presets.named("java-v1-equal-jitter", "dynamodb");

        assertEquals(policy, PolicyJson.read(PolicyJson.write(policy)));
    }
}
