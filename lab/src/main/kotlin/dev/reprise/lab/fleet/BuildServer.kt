package dev.reprise.lab.fleet

import dev.reprise.lab.fleet.kernel.Chance
import dev.reprise.lab.fleet.kernel.Course
import dev.reprise.lab.fleet.kernel.nanosOf
import dev.reprise.lab.fleet.server.Admission
import dev.reprise.lab.fleet.server.Answer
import dev.reprise.lab.fleet.server.Failure
import dev.reprise.lab.fleet.server.FixedWindow
import dev.reprise.lab.fleet.server.Reply
import dev.reprise.lab.fleet.server.Server
import dev.reprise.lab.fleet.server.SlidingWindow
import dev.reprise.lab.fleet.server.TokenBucket
import dev.reprise.lab.fleet.server.Workers
import dev.reprise.lab.scenario.AdmissionModel
import dev.reprise.lab.scenario.FailureModel
import dev.reprise.lab.scenario.QueueModel
import dev.reprise.lab.scenario.Refusal
import dev.reprise.lab.scenario.ServerModel
import dev.reprise.lab.scenario.Steps

/** The server that [model] describes, new and with nothing to do. */
internal fun buildServer(model: ServerModel, chance: Chance): Server = Server(
    failures = model.failures.map(::failure),
    admission = model.admission.map(::admission),
    concurrency = model.concurrency ?: Server.ANY_NUMBER,
    workers = model.queue?.let { workers(it, model.failures, chance.split()) },
    latency = model.latency,
    doublesAt = model.doublesAt ?: 0,
    throttled = refusal(model.throttles),
    busy = refusal(model.busy),
    chance = chance,
)

private fun admission(model: AdmissionModel): Admission = when (model) {
    is AdmissionModel.TokenBucket -> TokenBucket(course(model.rate), model.burst)

    is AdmissionModel.FixedWindow -> FixedWindow(course(model.limit), nanosOf(model.window))

    is AdmissionModel.SlidingWindow ->
        SlidingWindow(course(model.limit), nanosOf(model.window), model.countsRefusals)
}

private fun workers(model: QueueModel, failures: List<FailureModel>, chance: Chance) = Workers(
    capacity = course(model.capacity),
    workers = model.workers,
    length = model.length,
    isRandom = model.isRandom,
    frozen = failures.filter { it.kind == Failure.Kind.FREEZE }
        .map { nanosOf(it.from) until (it.to?.let(::nanosOf) ?: Reply.NEVER) },
    chance = chance,
)

private fun failure(model: FailureModel) = Failure(
    kind = model.kind,
    from = nanosOf(model.from),
    to = model.to?.let(::nanosOf) ?: Reply.NEVER,
    share = model.share,
    operation = model.operation ?: Failure.ALL,
    factor = model.factor,
)

private fun refusal(model: Refusal) = Answer(Answer.Kind.REFUSED, model.status, model.code, model.retryAfter)

private fun course(steps: Steps) = Course(steps.map { (at, value) -> nanosOf(at) to value })
