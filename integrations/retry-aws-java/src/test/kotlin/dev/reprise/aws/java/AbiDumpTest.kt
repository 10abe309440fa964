package dev.reprise.aws.java

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
