package dev.reprise.core.value

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

    /** Values that differ from [first] in one member, each with the member's number and the choice in it. */
    fun neighbours(): List<Pair<String, Any>> = choices.indices.flatMap { member ->
        choices[member].drop(1).map { choice ->
            "$name, member $member: $choice" to
                make(Members(choices.indices.map { if (it == member) choice else choices[it].first() }))
        }
    }
}
