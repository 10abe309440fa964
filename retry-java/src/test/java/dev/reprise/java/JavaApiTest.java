package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetryPolicy;
import dev.reprise.presets.Presets;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What Java sees of the library")
class JavaApiTest {
    private static final Pattern KOTLIN = Pattern.compile("\\bkotlinx?\\.");

    /** What the Kotlin compiler adds to every enum. */
    private static final String ENTRIES = "getEntries";

    /** All public classes under {@code folder}, {@code depth} deep, of the place that {@code known} comes from. */
    private static List<Class<?>> classes(Class<?> known, String folder, int depth)
            throws IOException, URISyntaxException {
        Path root = Path.of(
                known.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(root)) return classesBelow(root, folder, depth);
        // Where the module was packaged before this one is tested, its classes are in a jar.
        try (FileSystem jar = FileSystems.newFileSystem(root)) {
            return classesBelow(jar.getPath("/"), folder, depth);
        }
    }

    private static List<Class<?>> classesBelow(Path root, String folder, int depth) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve(folder), depth)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> !name.endsWith("Kt"))
                    .<Class<?>>map(JavaApiTest::load)
                    .filter(type -> isPublic(type) && !type.isSynthetic())
                    .collect(Collectors.toList());
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, JavaApiTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        try {
            boolean isOpen = Modifier.isPublic(type.getModifiers());
            return isOpen && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()));
        } catch (IncompatibleClassChangeError e) {
            // An internal companion, which its outer class does not count among its members.
            return false;
        }
    }

    private static Stream<? extends Member> members(Class<?> type) {
        Stream<Method> methods = Stream.of(type.getDeclaredMethods()).filter(each -> !each.isSynthetic());
        Stream<Constructor<?>> constructors =
                Stream.of(type.getDeclaredConstructors()).filter(each -> !each.isSynthetic());
        return Stream.concat(Stream.concat(methods, constructors), Stream.of(type.getDeclaredFields()))
                .filter(each -> (each.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
                .filter(each -> !each.getName().equals(ENTRIES));
    }

    private static String signature(Member member) {
        return member instanceof Executable executable
                ? executable.toGenericString()
                : ((Field) member).toGenericString();
    }

    private static List<String> foreign(List<Class<?>> types) {
        return types.stream()
                .flatMap(JavaApiTest::members)
                // Kotlin's internal members are public to the JVM, under a name that tells their module.
                .filter(member -> !member.getName().endsWith("$retry_core"))
                .filter(member -> KOTLIN.matcher(signature(member)).find()
                        || member.getName().contains("-"))
                .map(JavaApiTest::signature)
                .sorted()
                .toList();
    }

    @Test
    @DisplayName("in retry-java names no type of Kotlin's and has no mangled name")
    void faceIsPlain() throws Exception {
        List<Class<?>> types = classes(JavaRetrier.class, "dev/reprise/java", 2);

        assertTrue(types.contains(JavaRetrier.class));
        assertEquals(List.of(), foreign(types));
    }

    @Test
    @DisplayName("in retry-core names no type of Kotlin's and has no mangled name")
    void coreIsPlain() throws Exception {
        String abi = Files.readString(Path.of("../retry-core/api/retry-core.api"));
        List<Class<?>> types = new ArrayList<>(List.of(Presets.class));
        for (String folder :
                List.of("", "shell", "shell/call", "shell/machine", "shell/quota", "shell/rate", "shell/time")) {
            for (Class<?> type : classes(RetryPolicy.class, "dev/reprise/core/" + folder, 1)) {
                // What Kotlin calls internal the JVM calls public; the dump knows the difference.
                if (abi.contains(" " + type.getName().replace('.', '/') + " ")) types.add(type);
            }
        }
        assertTrue(types.contains(RetryPolicy.class));
        assertEquals(List.of(), foreign(types));
    }
}
