package dev.reprise.lab.simulate

import dev.reprise.lab.adaptive.ConvergeExperiment
import dev.reprise.lab.adaptive.ConvergeFile
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.FleetExperiment
import dev.reprise.lab.experiment.SweepExperiment
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.sim.Contention
import dev.reprise.lab.sim.OccExperiment
import dev.reprise.lab.stability.StabilityExperiment
import kotlinx.serialization.json.JsonObject

/** The experiment that [document] describes: one member says of which kind it is, and without it, it is a fleet's. */
internal fun experimentOf(reader: ScenarioFileReader, document: JsonObject): Experiment<*> {
    if ("contention" in document) return OccExperiment(Contention(document))
    if ("conditions" in document) return ConvergeExperiment(ConvergeFile(document))
    val file = reader.read(document)
    return when {
        file.border != null -> StabilityExperiment(file, file.border, reader)
        file.sweep != null -> SweepExperiment(file, file.sweep, reader)
        else -> FleetExperiment(file)
    }
}
