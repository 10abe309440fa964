package dev.reprise.core

import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary

private const val UNRESERVED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
private const val SUB_DELIMITERS = "!$&'()*+,;="

/** What may be in a query or fragment by RFC 3986, and what comes unescaped in broken ones; never a blank. */
private const val IN_QUERY = "$UNRESERVED$SUB_DELIMITERS:@/?%[]\"<>#{}|\\^`\u00e9\u202e"

/** What may be in a user's name or password by RFC 3986. */
private const val IN_USER_INFO = "$UNRESERVED$SUB_DELIMITERS%:"

/**
 * A line with a URL in it, and a part of it that is secret: a query, a fragment, a path parameter, a user's password.
 * Between two marks that cannot be anything but its own the secret has any characters, up to 2,000.
 */
val anyLineWithSecret: Arb<Pair<String, String>> = arbitrary { rs ->
    val random = rs.random

    fun text(of: String, most: Int) = String(CharArray(random.nextInt(most + 1)) { of[random.nextInt(of.length)] })

    fun secret(of: String): String {
        val most = if (random.nextInt(4) == 0) 2_000 else 30
        return text(of, most) + MARK + text(of, most)
    }

    val scheme = listOf("https://", "http://", "wss://", "jdbc:postgresql://", "//").random(random)
    val host = listOf("host", "host:8080", "[::1]:80", "a.example.org").random(random)
    val path = listOf("", "/", "/a/b", "/a=b", "/@scope").random(random)
    val url = when (random.nextInt(6)) {
        0 -> "$scheme$host$path?${secret(IN_QUERY)}"
        1 -> "$scheme$host/p#${secret(IN_QUERY)}"
        2 -> "$scheme$host/p;${secret(IN_QUERY)}"
        3 -> "${scheme}u:${secret(IN_USER_INFO)}@$host$path"
        4 -> "${scheme}u:${secret("$IN_USER_INFO/")}@h$path"
        else -> "/relative/path?${secret(IN_QUERY)}"
    }
    val before = listOf("", "GET ", "(", "[url=", "Request to <", "x".repeat(random.nextInt(400)) + " ").random(random)
    val after = listOf("", " failed", ")", "]", ", again", "\nat a.B").random(random)
    before + url + after to MARK
}

private const val MARK = "hunter2"
