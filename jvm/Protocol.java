// The worker's protocol: requests on standard input and answers on standard output, one line of JSON each
// (lab/measure/src/protocol.rs).

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The reason why a request fails. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    private final String kind;
    private final String install;

    Refusal(String kind, String why) {
        this(kind, why, null);
    }

    private Refusal(String kind, String why, String install) {
        super(why, null, false, false);
        this.kind = kind;
        this.install = install;
    }

    /** Creates the error for a missing provider, with the reason and how to install it. */
    static Refusal unavailable(String why, String install) {
        return new Refusal("unavailable", why, install);
    }

    Map<String, Object> answer() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(kind, getMessage());
        if (install != null) {
            answer.put("install", install);
        }
        return answer;
    }
}

/** A request. Unknown fields are ignored, as in the other workers. */
final class Request {
    static final int MAX_THREADS = 4096;
    private static final int MAX_BYTES = 64 << 20;
    final String operation;
    final String algorithm;
    final long bytes;
    final String nonces;
    final long keys;
    final boolean isOfPackets;
    final long iterations;
    final long parts;
    final int threads;
    final Map<String, Object> fixtures;
    final boolean output;
    final long observeMs;
    final Map<String, Object> file;

    Request(Map<String, Object> fields) throws Refusal {
        operation = Json.string(fields, "operation", null);
        if (operation == null) {
            throw new Refusal("error", "not a request: it names no operation");
        }
        algorithm = Json.string(fields, "algorithm", null);
        bytes = Json.whole(fields, "bytes", 0);
        nonces = Json.string(fields, "nonces", "ahead");
        keys = Json.whole(fields, "keys", 1);
        isOfPackets = fields.get("packets") != null;
        iterations = Json.whole(fields, "iterations", 0);
        parts = Json.whole(fields, "parts", 1);
        threads = (int) Math.min(Json.whole(fields, "threads", 1), MAX_THREADS + 1);
        fixtures = Json.map(fields, "fixtures");
        output = Boolean.TRUE.equals(fields.get("output"));
        observeMs = Json.whole(fields, "observe_ms", 0);
        file = Json.map(fields, "file");
    }

    void check() throws Refusal {
        if (algorithm == null) {
            throw new Refusal("error", "the request names no algorithm");
        }
        if (bytes > MAX_BYTES) {
            throw new Refusal("error", "a workload has at most " + MAX_BYTES + " bytes, not " + bytes);
        }
        if (threads < 1 || threads > MAX_THREADS) {
            throw new Refusal("error", "cannot start " + threads + " threads");
        }
        if (isOfPackets) {
            throw new Refusal("unsupported", "it is not measured with packets");
        }
        if (keys != 1 || !nonces.equals("ahead")) {
            throw new Refusal("unsupported", "it is measured under one key, with nonces made ahead: "
                    + "its API takes them as objects");
        }
    }
}

/** Reads requests: lines of UTF-8 with a maximum length. */
final class Lines {
    private static final int MAX_LINE = 4 << 20;
    private final InputStream input;

    Lines(InputStream input) {
        this.input = new BufferedInputStream(input, 1 << 16);
    }

    String next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        for (int one = input.read(); one != '\n'; one = input.read()) {
            if (one < 0) {
                if (line.size() == 0) {
                    return null;
                }
                break;
            }
            if (line.size() == MAX_LINE) {
                throw new IOException("a request is longer than a line may be");
            }
            line.write(one);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
        } catch (CharacterCodingException malformed) {
            return ""; // an empty line is rejected, because it is not JSON
        }
    }
}

/** The part of JSON that requests and answers need. */
final class Json {
    private static final int DEEPEST = 16;
    private final String text;
    private int position;

    private Json(String text) {
        this.text = text;
    }

    static Map<String, Object> object(String text) throws Refusal {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.position < text.length() || !(value instanceof Map)) {
            throw json.nonsense();
        }
        return asMap(value);
    }

    static String string(Map<String, Object> fields, String name, String otherwise) throws Refusal {
        Object value = fields.get(name);
        if (value != null && !(value instanceof String)) {
            throw new Refusal("error", "not a request: " + name + " is no string");
        }
        return value == null ? otherwise : (String) value;
    }

    static long whole(Map<String, Object> fields, String name, long otherwise) throws Refusal {
        Object value = fields.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value instanceof Double && (Double) value >= 0 && (Double) value == Math.rint((Double) value)) {
            return ((Double) value).longValue();
        }
        throw new Refusal("error", "not a request: " + name + " is no whole number");
    }

    static Map<String, Object> map(Map<String, Object> fields, String name) throws Refusal {
        Object value = fields.get(name);
        if (value != null && !(value instanceof Map)) {
            throw new Refusal("error", "not a request: " + name + " is no object");
        }
        return value == null ? null : asMap(value);
    }

    @SuppressWarnings("unchecked") // all maps are created here, with strings as keys
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    private Object value(int depth) throws Refusal {
        space();
        if (depth > DEEPEST || position >= text.length()) {
            throw nonsense();
        }
        char first = text.charAt(position);
        switch (first) {
            case '{': return members(depth);
            case '[': return elements(depth);
            case '"': return quoted();
            case 't': return word("true", Boolean.TRUE);
            case 'f': return word("false", Boolean.FALSE);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> members(int depth) throws Refusal {
        Map<String, Object> members = new LinkedHashMap<>();
        position++;
        if (takes('}')) {
            return members;
        }
        do {
            space();
            String name = quoted();
            expect(':');
            if (members.put(name, value(depth + 1)) != null) {
                throw nonsense();
            }
        } while (takes(','));
        expect('}');
        return members;
    }

    private List<Object> elements(int depth) throws Refusal {
        List<Object> elements = new ArrayList<>();
        position++;
        if (takes(']')) {
            return elements;
        }
        do {
            elements.add(value(depth + 1));
        } while (takes(','));
        expect(']');
        return elements;
    }

    private String quoted() throws Refusal {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (position < text.length()) {
            char one = text.charAt(position++);
            if (one == '"') {
                return string.toString();
            }
            if (one < ' ') {
                break;
            }
            string.append(one == '\\' ? escaped() : one);
        }
        throw nonsense();
    }

    private char escaped() throws Refusal {
        char kind = position < text.length() ? text.charAt(position++) : 0;
        switch (kind) {
            case '"': case '\\': case '/': return kind;
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'u':
                int code = 0;
                for (int digit = 0; digit < 4; digit++) {
                    int value = position < text.length() ? Character.digit(text.charAt(position++), 16) : -1;
                    if (value < 0) {
                        throw nonsense();
                    }
                    code = code << 4 | value;
                }
                return (char) code;
            default: throw nonsense();
        }
    }

    private Object word(String word, Object value) throws Refusal {
        if (!text.startsWith(word, position)) {
            throw nonsense();
        }
        position += word.length();
        return value;
    }

    private Double number() throws Refusal {
        int start = position;
        while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        try {
            return Double.valueOf(text.substring(start, position));
        } catch (NumberFormatException wrong) {
            throw nonsense();
        }
    }

    private void expect(char one) throws Refusal {
        if (!takes(one)) {
            throw nonsense();
        }
    }

    private boolean takes(char one) {
        space();
        boolean is = position < text.length() && text.charAt(position) == one;
        position += is ? 1 : 0;
        return is;
    }

    private void space() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private Refusal nonsense() {
        return new Refusal("error", "not a request: no JSON at character " + position);
    }

    static String text(Map<String, Object> fields) {
        StringBuilder text = new StringBuilder("{");
        for (Map.Entry<String, Object> field : fields.entrySet()) {
            text.append(text.length() > 1 ? "," : "");
            quote(text, field.getKey());
            text.append(':');
            if (field.getValue() instanceof Number) {
                text.append(field.getValue());
            } else {
                quote(text, String.valueOf(field.getValue()));
            }
        }
        return text.append('}').toString();
    }

    private static void quote(StringBuilder text, String string) {
        text.append('"');
        for (int index = 0; index < string.length(); index++) {
            char one = string.charAt(index);
            if (one == '"' || one == '\\') {
                text.append('\\').append(one);
            } else if (one < ' ' || Character.isSurrogate(one)) {
                text.append(String.format("\\u%04x", (int) one));
            } else {
                text.append(one);
            }
        }
        text.append('"');
    }
}
