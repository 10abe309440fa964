package dev.reprise.apachehttp

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
