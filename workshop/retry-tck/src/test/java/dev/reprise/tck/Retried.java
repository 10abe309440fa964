package dev.reprise.tck;

import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Binds {@link RetryInterceptor} to a bean that has one of MicroProfile's annotations. */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@interface Retried {}
