package dev.reprise.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The table of {@code docs/research/http-faults.md}: a row for each scenario, a column for each client. Each client has
 * a test that compares its column with the results; with {@code -Dfaults.update=true} it writes the column instead. A
 * cell {@code a (JDK 25: b)} says that the client of a newer JDK does something else.
 */
public final class MatrixPage {
    private static final String BEGIN = "<!-- matrix: begin -->";
    private static final String END = "<!-- matrix: end -->";
    private static final String OTHER_JDK = " (JDK ";
    private static final String THIS_JDK = OTHER_JDK + Runtime.version().feature() + ": ";

    private final Path page = find();
    private final List<String> columns = new ArrayList<>();
    private final Map<String, List<String>> rows = new LinkedHashMap<>();

    /** Reads the page of this checkout. */
    public MatrixPage() throws IOException {
        for (Scenario scenario : Scenario.all()) rows.put(scenario.toString(), new ArrayList<>());
        String text = Files.readString(page);
        List<String> lines = text.substring(text.indexOf(BEGIN), text.indexOf(END))
                .lines()
                .filter(line -> line.startsWith("|"))
                .toList();
        if (lines.isEmpty()) return;
        columns.addAll(cells(lines.get(0)).subList(1, cells(lines.get(0)).size()));
        for (String line : lines.subList(2, lines.size())) {
            List<String> cells = cells(line);
            rows.computeIfPresent(cells.get(0), (name, old) -> new ArrayList<>(cells.subList(1, cells.size())));
        }
    }

    /** The page's text for {@code client} in {@code scenario}, on this JDK; empty if there is none. */
    public String cell(String client, Scenario scenario) {
        int column = columns.indexOf(client);
        List<String> row = rows.get(scenario.toString());
        String cell = column < 0 || column >= row.size() ? "" : row.get(column);
        int own = cell.indexOf(THIS_JDK);
        return own < 0 ? withoutOtherJdks(cell) : cell.substring(own + THIS_JDK.length(), cell.length() - 1);
    }

    private static String withoutOtherJdks(String cell) {
        int others = cell.indexOf(OTHER_JDK);
        return others < 0 ? cell : cell.substring(0, others);
    }

    /** Writes what {@code matrix} found into the column of {@code client}. */
    public void write(String client, Matrix matrix) throws IOException {
        if (!columns.contains(client)) columns.add(client);
        int column = columns.indexOf(client);
        for (Scenario scenario : Scenario.all()) {
            List<String> row = rows.get(scenario.toString());
            while (row.size() < columns.size()) row.add("");
            String old = row.get(column);
            String otherJdks = old.substring(withoutOtherJdks(old).length());
            row.set(column, matrix.cell(scenario, null) + otherJdks);
        }
        String text = Files.readString(page);
        String head = text.substring(0, text.indexOf(BEGIN) + BEGIN.length());
        Files.writeString(page, head + "\n\n" + table() + "\n" + text.substring(text.indexOf(END)));
    }

    private String table() {
        StringBuilder table = new StringBuilder("| | " + String.join(" | ", columns) + " |\n");
        table.append("|---|").append("---|".repeat(columns.size())).append('\n');
        rows.forEach((name, row) -> {
            while (row.size() < columns.size()) row.add("");
            table.append("| ")
                    .append(name)
                    .append(" | ")
                    .append(String.join(" | ", row))
                    .append(" |\n");
        });
        return table.toString();
    }

    private static List<String> cells(String line) {
        String inner = line.substring(1, line.lastIndexOf('|'));
        return Arrays.stream(inner.split("\\|", -1)).map(String::trim).toList();
    }

    private static Path find() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path page = folder.resolve("docs/research/http-faults.md");
            if (Files.exists(page)) return page;
        }
        throw new IllegalStateException("there is no docs/research/http-faults.md above the working directory");
    }
}
