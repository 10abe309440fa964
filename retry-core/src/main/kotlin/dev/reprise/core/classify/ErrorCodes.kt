package dev.reprise.core.classify

/**
 * Finds a service's error code where AWS-like services put it. What it reads is hostile input: it looks at what it is given
 * once from front to back, and answers `null` for what it does not understand.
 */
public object ErrorCodes {
    /** The header that carries the code. */
    public const val HEADER: String = "x-amzn-errortype"

    private const val LONGEST = 128
    private val inJson = Regex("\"(?:__type|code|Code)\"\\s*:\\s*\"([^\"\\\\]{1,256})\"")
    private val inXml = Regex("<Code>\\s*([^<]{1,256}?)\\s*</Code>")

    /** The code in a header's [value], such as `ns#ThrottlingException:http://…`, without name space and URL; or `null`. */
    @JvmStatic
    public fun ofHeader(value: String): String? {
        val code = value.substringBefore(':').substringAfterLast('#').trim()
        return code.takeIf { it.isNotEmpty() && it.length <= LONGEST }
    }

    /** The code in a [body], JSON or XML, of which only the beginning may be there; or `null`. */
    @JvmStatic
    public fun ofBody(body: ByteArray): String? {
        val text = String(body, Charsets.UTF_8)
        val found = inJson.find(text) ?: inXml.find(text) ?: return null
        return ofHeader(found.groupValues[1])
    }
}
