package dev.reprise.spring.boot

import dev.reprise.spring.Retry
import dev.reprise.spring.boot.test.AutoConfigureVirtualTime
import dev.reprise.test.VirtualTime
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.SpringBootConfiguration
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.autoconfigure.json.JsonTest
import org.springframework.context.annotation.Import
import org.springframework.test.context.ContextConfiguration
import java.net.ConnectException

fun interface Finding {
    fun find(): Int
}

/** Injected by its class though it implements an interface, as Boot's proxies let it. */
open class Parcels : Finding {
    private var calls = 0

    @Retry
    override fun find(): Int = if (++calls < 3) throw ConnectException("refused") else calls
}

/** A slice of an application has the auto-configuration of what it tests, and not that of this library. */
@JsonTest
@ContextConfiguration(classes = [SliceTest.Application::class])
@AutoConfigureVirtualTime
class SliceTest {
    @Autowired
    private lateinit var parcels: Parcels

    @Autowired
    private lateinit var time: VirtualTime

    @Test
    fun `methods are retried in virtual time in a slice, too`() {
        assertEquals(3, parcels.find())
        assertEquals(150_000_000, time.nanoTime())
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Parcels::class)
    open class Application
}
