package dev.reprise.lab.fleet.kernel

/** Numbers of which the smallest goes first: a binary heap without boxes. */
internal class LongHeap {
    private var heap = LongArray(FIRST_SIZE)

    /** How many numbers are there. */
    var size = 0
        private set

    /** The smallest number; [Long.MAX_VALUE] if there is none. */
    val first: Long get() = if (size == 0) Long.MAX_VALUE else heap[0]

    /** Adds [value]. */
    fun add(value: Long) {
        if (size == heap.size) heap = heap.copyOf(size * 2)
        var place = size++
        while (place > 0 && heap[(place - 1) / 2] > value) {
            heap[place] = heap[(place - 1) / 2]
            place = (place - 1) / 2
        }
        heap[place] = value
    }

    /** Takes out all numbers up to [limit]. */
    fun dropUpTo(limit: Long) {
        while (size > 0 && heap[0] <= limit) removeFirst()
    }

    /** Takes out the smallest number and returns it. */
    fun removeFirst(): Long {
        check(size > 0) { "the heap is empty" }
        val smallest = heap[0]
        val last = heap[--size]
        var place = 0
        while (true) {
            var child = place * 2 + 1
            if (child >= size) break
            if (child + 1 < size && heap[child + 1] < heap[child]) child++
            if (heap[child] >= last) break
            heap[place] = heap[child]
            place = child
        }
        if (size > 0) heap[place] = last
        return smallest
    }

    private companion object {
        const val FIRST_SIZE = 64
    }
}
