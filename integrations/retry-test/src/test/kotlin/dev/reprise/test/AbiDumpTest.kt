package dev.reprise.test

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
