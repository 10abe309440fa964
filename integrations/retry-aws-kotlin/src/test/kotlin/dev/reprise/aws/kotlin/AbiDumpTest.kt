package dev.reprise.aws.kotlin

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
