import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

/**
 * Checks an unpacked bundle against what Maven Central asks for: java CheckBundle.java FOLDER NAMESPACE VERSION
 *
 * <p>The rules are those of central.sonatype.org/publish/requirements. Signatures are checked by the keys of gpg's
 * home, GNUPGHOME. Prints every problem; exits with 1 if there is one.
 */
class CheckBundle {
    private static final Map<String, String> DIGESTS =
            Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");
    private static final List<String> REQUIRED_DIGESTS = List.of("md5", "sha1");
    private static final List<String> REQUIRED_PARTS = List.of(".jar", "-sources.jar", "-javadoc.jar", ".module");
    private static final List<String> REQUIRED_ELEMENTS = List.of(
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/url");

    private final XPath xpath = XPathFactory.newInstance().newXPath();
    private final List<String> problems = new ArrayList<>();
    private final String namespace;
    private final String version;

    CheckBundle(String namespace, String version) {
        this.namespace = namespace;
        this.version = version;
    }

    public static void main(String[] arguments) throws Exception {
        Path bundle = Path.of(arguments[0]);
        List<Path> files;
        try (var all = Files.walk(bundle)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        CheckBundle check = new CheckBundle(arguments[1], arguments[2]);
        for (Path file : files) check.check(bundle, file);
        check.problems.forEach(System.err::println);
        System.out.printf("%d files in the bundle: %d problems%n", files.size(), check.problems.size());
        System.exit(check.problems.isEmpty() && !files.isEmpty() ? 0 : 1);
    }

    private void check(Path bundle, Path file) throws Exception {
        String name = file.getFileName().toString();
        String extension = name.substring(name.lastIndexOf('.') + 1);
        String module = file.getParent().getParent().getFileName().toString();
        Path place = bundle.resolve(namespace.replace('.', '/')).resolve(module).resolve(version);
        if (!file.getParent().equals(place) || !name.startsWith(module + "-" + version)) {
            problem(file, "is not where namespace, module and version put it");
        }
        if (extension.equals("asc") || DIGESTS.containsKey(extension)) return;

        for (String digest : DIGESTS.keySet()) checkDigest(file, digest);
        checkSignature(file);
        if (extension.equals("pom")) checkPom(file, module);
        if (extension.equals("module")) checkModule(file, module);
    }

    private void checkDigest(Path file, String digest) throws Exception {
        Path recorded = Path.of(file + "." + digest);
        if (Files.exists(recorded)) {
            byte[] bytes = MessageDigest.getInstance(DIGESTS.get(digest)).digest(Files.readAllBytes(file));
            boolean isRight = HexFormat.of()
                    .formatHex(bytes)
                    .equals(Files.readString(recorded).trim());
            if (!isRight) problem(file, "has another ." + digest);
        } else if (REQUIRED_DIGESTS.contains(digest)) {
            problem(file, "has no ." + digest);
        }
    }

    private void checkSignature(Path file) throws IOException, InterruptedException {
        String signature = file + ".asc";
        if (!Files.exists(Path.of(signature))) {
            problem(file, "has no .asc");
            return;
        }
        Process gpg = new ProcessBuilder("gpg", "--batch", "--verify", signature, file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (gpg.waitFor() != 0) problem(file, "has an .asc that does not hold");
    }

    /** What Gradle reads: the same coordinates, and the BOM, so that all modules have one version. */
    private void checkModule(Path file, String module) throws IOException {
        String text = Files.readString(file).replaceAll("\\s", "");
        String component = "\"group\":\"%s\",\"module\":\"%s\",\"version\":".formatted(namespace, module);
        if (!text.contains(component) || !text.contains('"' + version + '"')) problem(file, "has other coordinates");
        if (!text.contains("\"module\":\"retry-bom\"")) problem(file, "does not name the BOM");
    }

    private void checkPom(Path pom, String module) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        for (var expected : Map.of("groupId", namespace, "artifactId", module, "version", version)
                .entrySet()) {
            String actual = text(document, expected.getKey());
            if (!actual.equals(expected.getValue())) problem(pom, "has another <" + expected.getKey() + ">: " + actual);
        }
        for (String element : REQUIRED_ELEMENTS) {
            if (text(document, element).isEmpty()) problem(pom, "has no <" + element + ">");
        }
        if (!text(document, "packaging").equals("pom")) {
            for (String part : REQUIRED_PARTS) {
                Path file = pom.resolveSibling(module + "-" + version + part);
                if (!Files.exists(file)) problem(pom, "has no " + part + " beside it");
            }
            if (!Files.readString(pom).contains("do_not_remove: published-with-gradle-metadata"))
                problem(pom, "does not tell Gradle of its .module");
        }
        // Not Central's rules: users read a POM that stands for itself.
        if (!text(document, "parent/artifactId").isEmpty()) problem(pom, "has a parent");
        if (Files.readString(pom).contains("${")) problem(pom, "has a property that was not replaced");
    }

    /** The text of a child of project; elements by their names alone, whatever namespace they are in. */
    private String text(Document document, String path) throws Exception {
        String names = ("project/" + path).replaceAll("\\w+", "*[local-name()='$0']");
        return xpath.evaluate("/" + names, document).trim();
    }

    private void problem(Path file, String what) {
        problems.add(file.getFileName() + " " + what);
    }
}
