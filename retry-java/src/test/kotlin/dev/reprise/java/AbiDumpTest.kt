package dev.reprise.java

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
