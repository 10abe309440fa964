package dev.reprise.redis

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
