package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.security.ProviderException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import org.junit.jupiter.api.Test;

/** Compares the metadata for GraalVM's native-image with the code that needs it. */
class NativeImageTest {
    private static final Map<MemoryLayout, String> TYPES =
            Map.of(ValueLayout.JAVA_LONG, "jlong", ValueLayout.JAVA_INT, "jint", ValueLayout.ADDRESS, "void*");

    private final JsonObject metadata;

    NativeImageTest() throws Exception {
        metadata = JsonParser.parseString(Files.readString(ChildJvm.CLASSES.resolve(
                "META-INF/native-image/kasoku/kasoku-jca/reachability-metadata.json"))).getAsJsonObject();
    }

    @Test
    void metadataListsTheSignatureOfEveryNativeFunction() throws Exception {
        linkAllFunctions();
        Set<String> linked = Calls.LINKED.stream().map(Calls.Linked::name).collect(Collectors.toSet());
        assertEquals(namesInSources(), linked);
        Set<JsonElement> expected =
                Calls.LINKED.stream().map(NativeImageTest::downcall).collect(Collectors.toSet());
        JsonArray listed = metadata.getAsJsonObject("foreign").getAsJsonArray("downcalls");
        assertEquals(expected, new HashSet<>(listed.asList()));
        assertEquals(expected.size(), listed.size());
    }

    @Test
    void metadataNamesExistingMethods() throws Exception {
        for (JsonElement element : metadata.getAsJsonArray("reflection")) {
            Class<?> type = Class.forName(element.getAsJsonObject().get("type").getAsString());
            for (JsonElement method : element.getAsJsonObject().getAsJsonArray("methods")) {
                String name = method.getAsJsonObject().get("name").getAsString();
                assertNotNull(name.equals("<init>") ? type.getDeclaredConstructor() : type.getDeclaredMethod(name));
            }
        }
    }

    @Test
    void metadataIncludesAllLibraries() throws Exception {
        String glob = metadata.getAsJsonArray("resources").get(0).getAsJsonObject().get("glob").getAsString();
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        try (Stream<Path> files = Files.walk(ChildJvm.CLASSES.resolve("kasoku/jca/native"))) {
            List<Path> resources = files.filter(Files::isRegularFile).map(ChildJvm.CLASSES::relativize).toList();
            assertTrue(resources.size() >= 2 && resources.stream().allMatch(matcher::matches), resources.toString());
        }
    }

    private static void linkAllFunctions() throws Exception {
        byte[] text = new byte[2 * Pieces.BYTES];
        for (String algorithm : List.of(Aes.GCM, Aes.GCM_SIV)) {
            Cipher cipher = Cipher.getInstance(algorithm, Aes.KASOKU);
            byte[] sealed = Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(128, 1)).doFinal(text);
            Aes.opening(cipher, Aes.key(16, 1), Aes.parameters(128, 1)).doFinal(sealed);
        }
        assertNotNull(Calls.version());
        assertThrows(ProviderException.class, () -> Calls.check(Calls.AUTHENTICATION));
    }

    /** Returns the functions of the library that the sources name. */
    private static Set<String> namesInSources() throws Exception {
        Set<String> names = new HashSet<>();
        try (Stream<Path> files = Files.walk(Fetched.root().resolve("java/src/main/java"))) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                Pattern.compile("\"(kasoku_\\w+)\"").matcher(Files.readString(file)).results()
                        .forEach(name -> names.add(name.group(1)));
            }
        }
        return names;
    }

    private static JsonObject downcall(Calls.Linked function) {
        FunctionDescriptor signature = function.signature();
        JsonObject downcall = new JsonObject();
        downcall.addProperty("returnType", signature.returnLayout().map(TYPES::get).orElse("void"));
        JsonArray parameters = new JsonArray();
        signature.argumentLayouts().forEach(layout -> parameters.add(TYPES.get(layout)));
        downcall.add("parameterTypes", parameters);
        if (function.isCritical()) {
            JsonObject critical = new JsonObject();
            critical.addProperty("allowHeapAccess", true);
            JsonObject options = new JsonObject();
            options.add("critical", critical);
            downcall.add("options", options);
        }
        return downcall;
    }
}
