package dev.reprise.build

/** How often a test repeats itself: [few] times in each build, [many] with `-Dnightly`. */
fun rounds(few: Int, many: Int): Int = if (System.getProperty("nightly") == null) few else many
