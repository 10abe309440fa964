package dev.reprise.ktor.server

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
