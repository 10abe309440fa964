package dev.reprise.spring.method

import org.springframework.test.util.AopTestUtils

/** The object behind a proxy. */
fun <T : Any> targetOf(proxy: T): T = AopTestUtils.getUltimateTargetObject(proxy)
