package dev.reprise.presets.sdk

import dev.reprise.presets.botocore.RetryModel

/** botocore's legacy mode, from the same kind of file that botocore reads. */
internal object BotocorePresets {
    val all: List<Preset> = with(RetryModel.builtIn) {
        listOf(Preset("botocore-legacy", "legacy mode of botocore and boto3", services) { resolve(it) })
    }
}
