import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.opentelemetry.RetryTracing;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Spans of a retrier's attempts. */
final class OpenTelemetry {
    private static final class Names implements SpanProcessor {
        final List<String> ended = new CopyOnWriteArrayList<>();

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {}

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            ended.add(span.getName());
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }
    }

    public static void main(String[] arguments) throws Exception {
        var names = new Names();
        var sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(names).build()).build();
        var retrier = JavaRetrier.builder().policy(RetryPolicy.STANDARD).listener(new RetryTracing(sdk)).build();
        var attempts = new AtomicInteger();
        String end = retrier.call(() -> {
            if (attempts.incrementAndGet() == 1) throw new IOException("once");
            return "done";
        });
        Flaky.check(end.equals("done") && names.ended.size() >= 2, names.ended);
    }
}
