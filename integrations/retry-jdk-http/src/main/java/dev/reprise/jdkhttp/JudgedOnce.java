package dev.reprise.jdkhttp;

import dev.reprise.core.classify.BodyNeed;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.ResultScope;
import dev.reprise.core.classify.Verdict;

/**
 * Asks the policy's classifier about each response once. The verdict on a head decides where the body goes, and is the
 * call's verdict too.
 */
final class JudgedOnce implements Classifier {
    private final Classifier classifier;

    JudgedOnce(Classifier classifier) {
        this.classifier = classifier;
    }

    @Override
    public Verdict classifyResult(Object result) {
        return result instanceof ResponseOutcome response
                ? response.verdictOf(classifier)
                : classifier.classifyResult(result);
    }

    @Override
    public Verdict classifyFailure(Throwable failure) {
        return classifier.classifyFailure(failure);
    }

    @Override
    public ResultScope getResultScope() {
        return classifier.getResultScope();
    }

    @Override
    public BodyNeed getBodyNeed() {
        return classifier.getBodyNeed();
    }

    @Override
    public String toString() {
        return classifier.toString();
    }
}
