package dev.reprise.core

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
