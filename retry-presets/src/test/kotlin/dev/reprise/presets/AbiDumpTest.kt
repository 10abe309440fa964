package dev.reprise.presets

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
