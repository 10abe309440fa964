package dev.reprise.build

import io.kotest.core.spec.Spec
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestCase
import io.kotest.engine.concurrency.TestExecutionMode
import io.kotest.engine.coroutines.CoroutineDispatcherFactory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/** Tests that wait for real timers more than they work, and share nothing: several run at once. */
abstract class WaitingSpec(body: FunSpec.() -> Unit) :
    FunSpec({
        testExecutionMode = TestExecutionMode.LimitedConcurrency(8)
        coroutineDispatcherFactory = OnThreadsThatMayBlock
        body(this)
    })

private object OnThreadsThatMayBlock : CoroutineDispatcherFactory {
    override suspend fun <T> withDispatcher(spec: Spec, f: suspend () -> T): T = f()

    override suspend fun <T> withDispatcher(testCase: TestCase, f: suspend () -> T): T =
        withContext(Dispatchers.IO) { f() }
}
