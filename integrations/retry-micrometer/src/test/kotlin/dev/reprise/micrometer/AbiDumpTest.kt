package dev.reprise.micrometer

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
