package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import io.kotest.core.spec.style.FunSpec

/** Checks a [law] that does not hold yet, because [why]. Fails as soon as it holds, so that this wrapper goes. */
inline fun expectedToFail(why: String, law: () -> Unit) {
    val isBroken = try {
        law()
        false
    } catch (_: AssertionError) {
        true
    }
    if (!isBroken) throw AssertionError("this law holds now, take the wrapper away; it was broken because $why")
}

/** One test of [law] on each of [faces]; those in [notYet] are expected to fail, for the reason given there. */
fun FunSpec.onFaces(
    law: String,
    faces: List<Face>,
    notYet: Map<Face, String> = emptyMap(),
    check: suspend (Face) -> Unit,
) {
    for (face in faces) {
        test("$law: $face") {
            val why = notYet[face]
            if (why == null) check(face) else expectedToFail(why) { check(face) }
        }
    }
}
