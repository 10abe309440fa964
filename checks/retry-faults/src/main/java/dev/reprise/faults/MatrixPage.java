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
 * The table {@code docs/figures/http-faults.csv}: a row for each scenario, a column for each client. Each client has a
 * test that compares its column with the results; with {@code -Dfaults.update=true} it writes the column instead. A
 * cell {@code a (JDK 25: b)} says that the client of a newer JDK does something else.
 */
public final class MatrixPage {
    private static final String TABLE = "docs/figures/http-faults.csv";
    private static final String COMMA = ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)";
    private static final String OTHER_JDK = " (JDK ";
    private static final String THIS_JDK = OTHER_JDK + Runtime.version().feature() + ": ";

    private final Path table = find();
    private final List<String> columns = new ArrayList<>();
    private final Map<String, List<String>> rows = new LinkedHashMap<>();

    /** Reads the table of this checkout. */
    public MatrixPage() throws IOException {
        for (Scenario scenario : Scenario.all()) rows.put(scenario.toString(), new ArrayList<>());
        List<String> lines = Files.readAllLines(table);
        columns.addAll(cells(lines.get(0)).subList(1, cells(lines.get(0)).size()));
        for (String line : lines.subList(1, lines.size())) {
            List<String> cells = cells(line);
            rows.computeIfPresent(cells.get(0), (name, old) -> new ArrayList<>(cells.subList(1, cells.size())));
        }
    }

    /** The table's text for {@code client} in {@code scenario}, on this JDK; empty if there is none. */
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
        Files.writeString(table, text());
    }

    private String text() {
        StringBuilder text = new StringBuilder(line("fault", columns));
        rows.forEach((name, row) -> {
            while (row.size() < columns.size()) row.add("");
            text.append(line(name, row));
        });
        return text.toString();
    }

    private static String line(String name, List<String> cells) {
        StringBuilder line = new StringBuilder(name);
        for (String cell : cells) line.append(',').append(cell.contains(",") ? '"' + cell + '"' : cell);
        return line.append('\n').toString();
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.split(COMMA, -1))
                .map(cell -> cell.replace("\"", ""))
                .toList();
    }

    private static Path find() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path table = folder.resolve(TABLE);
            if (Files.exists(table)) return table;
        }
        throw new IllegalStateException("there is no " + TABLE + " above the working directory");
    }
}
