package dev.reprise.lab.report

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import kotlin.io.path.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

class PageFileTest :
    FunSpec({
        val folder = tempdir().toPath()

        test("without a folder, a report gets the first name that holds none") {
            val usual = Path("retry-report")
            PageFile.folder(null, overwritten = false, home = folder) shouldBe folder.resolve(usual)
            folder.resolve("retry-report").createDirectories().resolve("index.html").writeText("mine")
            folder.resolve("retry-report-2").createDirectories().resolve("figures.json").writeText("[]")
            PageFile.folder(null, overwritten = false, home = folder) shouldBe folder.resolve("retry-report-3")
        }

        test("a folder that holds other files is taken") {
            val other = folder.resolve("other").createDirectories()
            other.resolve("notes.txt").writeText("mine")
            PageFile.folder(other, overwritten = false) shouldBe other
        }
    })
