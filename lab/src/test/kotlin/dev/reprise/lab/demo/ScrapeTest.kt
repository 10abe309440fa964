package dev.reprise.lab.demo

import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainAll
import java.io.IOException

class ScrapeTest :
    FunSpec({
        test("the scrape tells the calls and the quota of the retrier that it watches") {
            val scrape = Scrape()
            val retrier = Retrier.builder().listener(scrape.listener).waiter { }.build()
            scrape.watch(retrier)
            retrier { if (it.number < 2) throw IOException() }
            runCatching { retrier { throw IOException() } }
            scrape.text().lines() shouldContainAll
                listOf(
                    """reprise_calls_total{client="demo",operation="all",outcome="success",retried="true"} 1.0""",
                    """reprise_give_ups_total{client="demo",operation="all",reason="attempts"} 1.0""",
                    """reprise_quota_available_tokens{client="demo"} 472.0""",
                )
        }
    })
