package dev.reprise.spring

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
