package dev.reprise.benchmarks.cold;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures what a function pays: a JVM is started, makes a retrier and one call that fails once and waits 25 ms. Prints
 * for each library the median time from the beginning of {@code main}, and how many classes it loads more than
 * {@link Floor}. The programs take turns, so that a busy minute of the machine meets them all. Each has a class path of
 * its own, of the jars that it loads a class from: a class is searched in all jars before its own, and the libraries
 * that are measured here are a hundred.
 */
public final class ColdStart {
    private static final List<Class<?>> PROGRAMS = List.of(
            Floor.class,
            Programs.Reprise.class,
            Programs.RepriseByName.class,
            Programs.Failsafe.class,
            Programs.Resilience4j.class,
            Programs.AwsStrategy.class);

    private ColdStart() {}

    /** Runs each program so many times; 20 if no number is given. */
    public static void main(String[] arguments) throws Exception {
        int runs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        Map<Class<?>, String> paths = new LinkedHashMap<>();
        for (Class<?> program : PROGRAMS) paths.put(program, pathOf(program));
        // The JVM's own classes that read jars are no library's.
        paths.computeIfPresent(Floor.class, (program, path) -> firstJar() + File.pathSeparator + path);
        Map<Class<?>, long[]> micros = new LinkedHashMap<>();
        for (Class<?> program : PROGRAMS) micros.put(program, new long[runs]);
        for (int run = 0; run < runs; run++) {
            for (Class<?> program : PROGRAMS)
                micros.get(program)[run] =
                        Long.parseLong(output(program, paths.get(program)).get(0));
        }
        long floor = loaded(Floor.class, paths.get(Floor.class)).size();
        System.out.printf(Locale.ROOT, "%-15s %10s %20s%n", "", "median ms", "classes over floor");
        for (Class<?> program : PROGRAMS) {
            long[] sorted = micros.get(program);
            Arrays.sort(sorted);
            double median = (sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2000.0;
            int classes = loaded(program, paths.get(program)).size();
            System.out.printf(Locale.ROOT, "%-15s %10.1f %20d%n", program.getSimpleName(), median, classes - floor);
        }
    }

    /** Returns the part of this program's class path that {@code program} loads classes from. */
    private static String pathOf(Class<?> program) throws Exception {
        String all = System.getProperty("java.class.path");
        List<String> sources = loaded(program, all);
        return Stream.of(all.split(File.pathSeparator))
                .filter(entry -> sources.contains(new File(entry).toURI().toString()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String firstJar() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .findFirst()
                .orElseThrow();
    }

    /** Returns where {@code program} loads its classes from: an entry for each class. */
    private static List<String> loaded(Class<?> program, String path) throws Exception {
        return output(program, path, "-Xlog:class+load").stream()
                .filter(line -> line.contains(" source: "))
                .map(line -> line.replaceAll(".* source: ", ""))
                .toList();
    }

    private static List<String> output(Class<?> program, String path, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", path, program.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader reader = process.inputReader();
                Stream<String> lines = reader.lines()) {
            List<String> all = lines.toList();
            if (process.waitFor() != 0) throw new IOException(program + " failed: " + command);
            return all;
        }
    }
}
