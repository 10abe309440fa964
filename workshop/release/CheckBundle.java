import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

/**
 * Checks an unpacked bundle against what the Portal of Maven Central asks for: java CheckBundle.java FOLDER NAMESPACE VERSION
 *
 * <p>The rules are those of central.sonatype.org/publish/requirements. Signatures are checked by the keys of gpg's home, GNUPGHOME.
 * Prints every problem; exits with 1 if there is one.
 */
class CheckBundle {
    private static final Map<String, String> DIGESTS = Map.of(".md5", "MD5", ".sha1", "SHA-1", ".sha256", "SHA-256", ".sha512", "SHA-512");
    private static final List<String> REQUIRED_DIGESTS = List.of(".md5", ".sha1");
    private static final List<String> REQUIRED_ELEMENTS = List.of(
            "name", "description", "url", "licenses/license/name", "licenses/license/url", "developers/developer/name", "scm/url", "scm/connection");

    private final List<String> problems = new ArrayList<>();
    private int files;

    public static void main(String[] arguments) throws Exception {
        CheckBundle check = new CheckBundle();
        check.check(Path.of(arguments[0]), arguments[1], arguments[2]);
        check.problems.forEach(System.err::println);
        System.out.printf("%d files, each with checksums and a signature that hold: %d problems%n", check.files, check.problems.size());
        System.exit(check.problems.isEmpty() && check.files > 0 ? 0 : 1);
    }

    private void check(Path bundle, String namespace, String version) throws Exception {
        Path group = bundle.resolve(namespace.replace('.', '/'));
        try (var all = Files.walk(bundle)) {
            for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
                Path folder = file.getParent();
                String module = folder.getParent().getFileName().toString();
                if (!folder.equals(group.resolve(module).resolve(version))
                        || !file.getFileName().toString().startsWith(module + "-" + version)) {
                    problem(file, "is not where the namespace, a module and the version put it");
                } else if (file.toString().endsWith(".asc") || DIGESTS.keySet().stream().anyMatch(file.toString()::endsWith)) {
                    continue;
                } else {
                    files++;
                    checkDigests(file);
                    checkSignature(file);
                    if (file.toString().endsWith(".pom")) checkPom(file, namespace, module, version);
                }
            }
        }
    }

    private void checkDigests(Path file) throws Exception {
        for (var digest : DIGESTS.entrySet()) {
            Path recorded = Path.of(file + digest.getKey());
            if (!Files.exists(recorded)) {
                if (REQUIRED_DIGESTS.contains(digest.getKey())) problem(file, "has no " + digest.getKey());
            } else {
                byte[] actual = MessageDigest.getInstance(digest.getValue()).digest(Files.readAllBytes(file));
                if (!HexFormat.of().formatHex(actual).equals(Files.readString(recorded).trim())) problem(file, "has another " + digest.getKey());
            }
        }
    }

    private void checkSignature(Path file) throws IOException, InterruptedException {
        Path signature = Path.of(file + ".asc");
        if (!Files.exists(signature)) {
            problem(file, "has no .asc");
        } else {
            Process gpg = new ProcessBuilder("gpg", "--batch", "--quiet", "--verify", signature.toString(), file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (gpg.waitFor() != 0) problem(file, "has an .asc that does not hold");
        }
    }

    private void checkPom(Path pom, String namespace, String module, String version) throws Exception {
        Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        expect(pom, document, "groupId", namespace);
        expect(pom, document, "artifactId", module);
        expect(pom, document, "version", version);
        for (String element : REQUIRED_ELEMENTS) {
            if (text(document, element).isBlank()) problem(pom, "has no <" + element + ">");
        }
        // Not the Portal's rules: users read a POM that stands for itself.
        if (!text(document, "parent").isEmpty()) problem(pom, "has a parent");
        if (Files.readString(pom).contains("${")) problem(pom, "has a property that was not replaced");
        if (!text(document, "packaging").equals("pom")) {
            for (String part : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
                if (!Files.exists(pom.resolveSibling(module + "-" + version + part))) problem(pom, "has no " + part + " beside it");
            }
        }
    }

    private void expect(Path pom, Document document, String element, String value) throws Exception {
        if (!text(document, element).equals(value)) problem(pom, "has another <" + element + ">: " + text(document, element));
    }

    private static String text(Document document, String element) throws Exception {
        return XPathFactory.newInstance().newXPath().evaluate("/*[local-name()='project']/" + local(element), document).trim();
    }

    /** The path without its namespace, which XPath would ask for. */
    private static String local(String element) {
        return element.replaceAll("(\\w+)", "*[local-name()='$1']");
    }

    private void problem(Path file, String what) {
        problems.add(file.getFileName() + " " + what);
    }
}
