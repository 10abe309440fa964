package dev.reprise.core.shell.http

import dev.reprise.core.shell.ShellApi

/** A header by which AWS services tell the attempts of one call apart, as their SDKs send it. */
@ShellApi
public object AmzHeaders {
    /** The name of the header that numbers the attempt. */
    public const val REQUEST: String = "amz-sdk-request"
}
