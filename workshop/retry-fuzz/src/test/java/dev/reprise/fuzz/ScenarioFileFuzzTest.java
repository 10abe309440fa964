package dev.reprise.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.reprise.lab.input.BadInput;
import dev.reprise.lab.scenario.ScenarioFileReader;
import dev.reprise.lab.scenario.YamlText;
import dev.reprise.presets.document.PolicyFormatException;
import java.nio.file.Path;
import kotlinx.serialization.json.JsonElement;
import kotlinx.serialization.json.JsonObject;

/**
 * Any text is a document that is printed as JSON and parsed back equal, and a scenario or refused in one line. In Java,
 * which sees what the lab keeps to itself.
 */
class ScenarioFileFuzzTest {
    @FuzzTest(maxDuration = "1m")
    void file(FuzzedDataProvider data) {
        String text = TextsKt.text(data);
        try {
            JsonElement document = YamlText.INSTANCE.parse(text);
            if (document instanceof JsonObject object) {
                assertEquals(document, YamlText.INSTANCE.parse(document.toString()));
                new ScenarioFileReader(Path.of("")).read(object);
            }
        } catch (PolicyFormatException | BadInput refusal) {
            TextsKt.requireOneLine(refusal.getMessage());
        }
    }
}
