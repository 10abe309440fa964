package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import io.kotest.core.spec.style.FunSpec

/** One test of [law] on each of [faces]. */
fun FunSpec.onFaces(law: String, faces: List<Face>, check: suspend (Face) -> Unit) {
    for (face in faces) test("$law: $face") { check(face) }
}
