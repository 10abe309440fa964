package dev.reprise.core.classify

/** What clients that talk to any HTTP server know beyond the tables of the AWS SDKs, which stay as they are. */
public object HttpDefaults {
    /**
     * The standard table, and 408 Request Timeout and 425 Too Early as transient: both ask for the request again. A face
     * that knows the method repeats only what is safe to repeat.
     */
    @JvmField
    public val TABLE: ErrorTable =
        ErrorTable(ErrorTable.STANDARD.rules + ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(408, 425)))

    /** What speaks for itself, then [TABLE], then the errors of HTTP engines, then the transport's. */
    @JvmField
    public val CLASSIFIER: Classifier = Classifier.firstOf(SelfClassifier, TABLE, EngineErrors, TransportErrors)
}
