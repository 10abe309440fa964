package dev.reprise.okhttp

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
