package dev.reprise.coroutines

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
