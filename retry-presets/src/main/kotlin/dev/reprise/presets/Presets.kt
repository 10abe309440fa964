package dev.reprise.presets

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.text.oneLine
import dev.reprise.presets.document.mustBeOneOf
import dev.reprise.presets.sdk.BotocorePresets
import dev.reprise.presets.sdk.GoPresets
import dev.reprise.presets.sdk.JavaScriptPresets
import dev.reprise.presets.sdk.JavaV1Presets
import dev.reprise.presets.sdk.JvmSdkPresets
import dev.reprise.presets.sdk.Preset
import dev.reprise.presets.sdk.StandardPresets
import dev.reprise.presets.sdk.Textbook

/** All [Preset]s, found by their names. `docs/figures/presets.csv` compares them. */
public object Presets {
    /** All presets: today's first, then `http` and `any-exception`, the SDKs', then the textbook's. */
    @JvmStatic
    public val all: List<Preset>
        get() = StandardPresets.all + JvmSdkPresets.all + BotocorePresets.all + JavaV1Presets.all +
            JavaScriptPresets.all + GoPresets.all + Textbook.all

    /** [named] for no service in particular. */
    @JvmStatic
    public fun named(name: String): RetryPolicy = named(name, null)

    /**
     * The policy of the preset called [name], in its variant for [service] if it has one.
     *
     * @throws IllegalArgumentException if there is no such preset; the message lists all. Or if [service] is not a
     * name, or misspells the name of a service with a variant
     */
    @JvmStatic
    public fun named(name: String, service: String?): RetryPolicy {
        val preset = find(name)
        require(preset != null) {
            "no preset has this name, ${mustBeOneOf(name, all.map { it.name })}: ${oneLine(name, longest = 64)}"
        }
        return preset.policy(service)
    }

    /** The preset called [name], or `null`. */
    @JvmStatic
    public fun find(name: String): Preset? =
        // Today's first: the tables of the others, of which one is a file, are not built for them.
        StandardPresets.all.find { it.name == name } ?: all.find { it.name == name }
}
