package dev.reprise.lab.demo

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** One scene of the demo: the server's behaviour, the call, and its end. */
internal class Scene(
    val title: String,
    val path: String,
    val replies: List<Reply>,
    val ends: StopReason = StopReason.SUCCESS,
    val method: String = "GET",
    val options: CallOptions = CallOptions.DEFAULT,
    /** The policy. All scenes share a quota except those whose policy has one of its own. */
    val policy: RetryPolicy = Scenes.POLICY,
    val calls: Int = 1,
    val cancelAfter: Duration? = null,
    val caller: Caller = Caller.KOTLIN,
) {
    enum class Caller { KOTLIN, KTOR, JAVA_BLOCKING, JAVA_ASYNC }
}

internal object Scenes {
    val POLICY: RetryPolicy = RetryPolicy.HTTP.with { honourRetryAfter(cap = 5.seconds) }

    private val ok = answer(200)
    private val broken = answer(500)
    private val closed = answer(503, "Retry-After: 1")
    private val closedForLong = answer(503, "Retry-After: 3")
    private val busy = answer(429, "x-amz-retry-after: 700")

    val ALL: List<Scene> = listOf(
        Scene("A server error, twice", "/orders", listOf(broken, broken, ok)),
        Scene("Out of service, back in a second: Retry-After is honoured", "/stock", listOf(closed, ok)),
        Scene("Too many requests: throttling waits longer, costs less", "/search", listOf(busy, ok)),
        Scene("The connection is reset in the middle of the answer", "/prices", listOf(RESET, ok)),
        Scene(
            "In a Ktor client: install(Retry), and a plain GET does all of this",
            "/ktor",
            listOf(broken, RESET, ok),
            caller = Scene.Caller.KTOR,
        ),
        Scene(
            "A reset seen from Java, on a thread that blocks",
            "/java/blocking",
            listOf(RESET, ok),
            caller = Scene.Caller.JAVA_BLOCKING,
        ),
        Scene(
            "The same from Java, with a CompletableFuture that holds no thread",
            "/java/future",
            listOf(RESET, ok),
            caller = Scene.Caller.JAVA_ASYNC,
        ),
        Scene(
            "The server stalls: the attempt is cut off after 400 ms",
            "/slow",
            listOf(Replies.stall(), ok),
            policy = POLICY.with { attemptTimeout = 400.milliseconds },
        ),
        Scene(
            "Adaptive mode: after a throttled answer every attempt needs a send permit",
            "/feed",
            listOf(answer(429), ok),
            policy = POLICY.with { sendRate = SendRateSettings.EXACT },
        ),
        Scene("Not found: another attempt would not change that", "/lost", listOf(answer(404)), StopReason.REJECTED),
        Scene(
            "A payment that may have gone through is not sent again",
            "/pay",
            listOf(RESET),
            StopReason.NOT_REPLAYABLE,
            method = "POST",
            options = CallOptions("pay").with { repeat = Repeat.IF_UNSENT },
        ),
        Scene("A server that stays broken: attempts run out", "/broken", listOf(broken), StopReason.ATTEMPTS),
        Scene(
            "Closed for 3 s, and 2 s left: the call does not wait for its own deadline",
            "/closed",
            listOf(closedForLong),
            StopReason.DEADLINE,
            policy = POLICY.with { deadline = 2.seconds },
        ),
        Scene(
            "A quota of 20 tokens runs dry, and the next call is not retried at all",
            "/down",
            listOf(broken),
            StopReason.QUOTA,
            policy = POLICY.with { quota = TokenBucketSettings { capacity(20) } },
            calls = 2,
        ),
        Scene(
            "The caller loses patience in mid-wait",
            "/later",
            listOf(closedForLong),
            StopReason.CANCELLED,
            cancelAfter = 300.milliseconds,
        ),
    )
}
