package dev.reprise.grpc

import dev.reprise.build.AbiDumpSpec

class AbiDumpTest : AbiDumpSpec()
