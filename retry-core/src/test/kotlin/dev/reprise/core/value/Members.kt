package dev.reprise.core.value

import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe

/** The members that a value type is made of, each with at least two values that differ; reads them back in order. */
class Members(private val values: List<Any?>) {
    private var next = 0

    @Suppress("UNCHECKED_CAST")
    fun <T> next(): T = values[next++] as T
}

/** A type of values: how one is made, and of what. */
class ValueType(val name: String, private vararg val choices: List<Any?>, private val make: Members.() -> Any) {
    /** The value with the first choice for each member. */
    fun first(): Any = make(Members(choices.map { it.first() }))

    /** That values are equal if all members are, and in no other case; that hash and text follow. */
    fun holdsItsWord() {
        val value = first()
        value shouldBe value
        first() shouldBe value
        first().hashCode() shouldBe value.hashCode()
        first().toString() shouldBe value.toString()
        value.equals(null) shouldBe false
        value.equals("$value") shouldBe false
        val others = neighbours()
        others.any { (_, other) -> other.hashCode() != value.hashCode() } shouldBe true
        for ((clue, other) in others) {
            withClue(clue) {
                (value == other) shouldBe false
                (other == value) shouldBe false
            }
        }
    }

    /** Values that differ from [first] in one member, each with the member's number and the choice in it. */
    fun neighbours(): List<Pair<String, Any>> = choices.indices.flatMap { member ->
        choices[member].drop(1).map { choice ->
            "$name, member $member: $choice" to
                make(Members(choices.indices.map { if (it == member) choice else choices[it].first() }))
        }
    }
}
