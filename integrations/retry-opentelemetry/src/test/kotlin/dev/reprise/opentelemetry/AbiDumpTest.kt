package dev.reprise.opentelemetry

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
