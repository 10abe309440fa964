package dev.reprise.spring.boot

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
