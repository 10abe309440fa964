package dev.reprise.ktor

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
