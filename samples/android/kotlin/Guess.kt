// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import java.nio.FloatBuffer
import kotlin.math.abs
import kotlin.math.exp

/** A class of a network, and how probable it is. */
data class Guess(val index: Int, val probability: Float)

/** The most probable classes, the best first. Scores are a softmax's inputs, or its results. */
fun bestGuesses(scores: FloatBuffer, count: Int): List<Guess> {
    val all = List(scores.remaining()) { scores.get(scores.position() + it) }
    val areProbabilities = all.all { it in 0f..1f } && abs(all.sum() - 1) < 1e-3f
    val largest = all.fold(Float.NEGATIVE_INFINITY) { a, b -> maxOf(a, b) }
    val shares = if (areProbabilities) all else all.map { exp(it - largest) }
    val total = shares.sum()
    return shares.indices.sortedByDescending { shares[it] }.take(count).map { Guess(it, shares[it] / total) }
}
