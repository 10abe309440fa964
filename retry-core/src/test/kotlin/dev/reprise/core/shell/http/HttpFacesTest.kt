package dev.reprise.core.shell.http

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.EngineErrors
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Statuses
import dev.reprise.core.Verdict
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.security.cert.CertificateException

/** Retriers that are their policies. */
internal fun retriersOf(errorBodyBytes: Int) =
    HttpRetriers<RetryPolicy>(EngineErrors, errorBodyBytes, { it }, { _, made -> made })

/** What the HTTP faces have in common beyond what may be repeated. */
class HttpFacesTest :
    FunSpec({
        val policies = retriersOf(errorBodyBytes = 0)

        test("a policy that retries the transport's errors learns the engines', and is made once") {
            val known = policies.of(RetryPolicy.STANDARD)

            known.policy.classifier.classifyFailure(CertificateException()) shouldBe Verdict.Reject
            policies.of(RetryPolicy.STANDARD) shouldBeSameInstanceAs known
            policies.of(known.policy).policy shouldBeSameInstanceAs known.policy
        }

        // Ktor's table of errors once made every result be judged.
        test("a policy that does not is left as it is") {
            val own = RetryPolicy { classifier = Classifier.firstOf(ErrorTable.STANDARD) }

            policies.of(own).policy shouldBeSameInstanceAs own
        }

        test("no body is read unless the policy or the user asks for it") {
            val table = ErrorTable.STANDARD
            checkAll(Arb.int(100..599)) { BodyPeek.of(table, 0).bytesOf(it) shouldBe 0 }
            checkAll(Arb.int(100..599), Arb.int(1..100_000)) { status, bytes ->
                BodyPeek.of(table, bytes).bytesOf(status) shouldBe if (status < 300 || status == 304) 0 else bytes
            }
        }

        test("a rule that needs a body is never without one for want of a setting") {
            val rule = ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(400), message = "slow down")
            val byMessage = Classifier.firstOf(ErrorTable(rule), ErrorTable.STANDARD)
            checkAll(Arb.int(0..100_000), Arb.int(400..599)) { bytes, status ->
                BodyPeek.of(byMessage, bytes).bytesOf(status) shouldBeGreaterThanOrEqual maxOf(bytes, 65_536)
                BodyPeek.of(byMessage, bytes).bytesOf(200) shouldBe 0
            }
            BodyPeek.of(Crc32Check(), 0).need shouldBe BodyNeed.ALL
            BodyPeek.of(Crc32Check(), 0).bytesOf(200) shouldBe 65_536
        }

        test("an address that names its default port has the key of one that does not") {
            checkAll(Arb.int(1..65_535)) { HostKey.of("http", "h", it) shouldBe "h:$it" }
            HostKey.of("https", "Host.Example", -1) shouldBe "host.example:443"
            HostKey.of("HTTP", "host.example", 0) shouldBe HostKey.of("http", "HOST.example", 80)
            HostKey.of("wss", "h", -1) shouldBe "h:443"
        }
    })
