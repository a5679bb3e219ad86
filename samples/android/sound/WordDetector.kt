// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample.sound

/** A word that was said, and how sure the network is. */
data class Word(val label: String, val probability: Float)

/**
 * Decides when a word was said: a single look at a second of sound is often wrong. A word counts if the mean of the latest looks is
 * sure of it; the same second is not heard twice. The first two labels are those of silence and of any other word.
 */
class WordDetector(private val labels: List<String>, private val sure: Float = 0.8f) {
    private val looks = Array(LOOKS) { FloatArray(labels.size) }
    private var number = 0
    private var rest = 0

    /** Takes the probabilities of one look, and returns the word that they complete. */
    fun hear(probabilities: FloatArray): Word? {
        require(probabilities.size == labels.size) { "there are ${labels.size} labels, but the network knows ${probabilities.size}" }
        probabilities.copyInto(looks[number++ % LOOKS])
        if (rest-- > 0)
            return null
        val means = FloatArray(labels.size) { word -> looks.fold(0f) { sum, look -> sum + look[word] } / LOOKS }
        val word = (WORDS until labels.size).sortedByDescending { means[it] }.firstOrNull() ?: return null
        if (means[word] < sure)
            return null
        rest = REST
        return Word(labels[word], means[word])
    }

    private companion object {
        const val LOOKS = 3
        const val REST = 8
        const val WORDS = 2
    }
}
