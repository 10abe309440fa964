package dev.reprise.reactor

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
