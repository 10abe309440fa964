package dev.reprise.jdkhttp

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
