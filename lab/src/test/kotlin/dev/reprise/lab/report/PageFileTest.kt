package dev.reprise.lab.report

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

class PageFileTest :
    FunSpec({
        val folder = tempdir().toPath()

        test("a folder that holds other files is taken") {
            val other = folder.resolve("other").createDirectories()
            other.resolve("notes.txt").writeText("mine")
            PageFile.folder(other, overwritten = false) shouldBe other
        }
    })
