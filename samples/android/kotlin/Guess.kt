// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import dev.nacre.ElementType
import dev.nacre.TensorInfo
import java.nio.ByteBuffer
import kotlin.math.abs
import kotlin.math.exp
import kotlin.math.max

/** A class of a network, and how probable it is. */
data class Guess(val index: Int, val probability: Float)

/** Returns an output's elements as reals; those of a quantized network by its scale and zero point. */
fun readScores(info: TensorInfo, bytes: ByteBuffer): FloatArray = FloatArray(info.elements().toInt()) {
    when (info.type()) {
        ElementType.F32 -> bytes.getFloat(4 * it)
        ElementType.U8 -> info.scale() * ((bytes.get(it).toInt() and 0xff) - info.zeroPoint())
        ElementType.I8 -> info.scale() * (bytes.get(it) - info.zeroPoint())
        else -> throw IllegalArgumentException("the network's output must hold F32, U8 or I8, but is $info")
    }
}

/**
 * Returns the most probable classes, the best first. Scores are a softmax's inputs, or its results, each of which may be wrong by
 * [error].
 */
fun bestGuesses(scores: FloatArray, count: Int, error: Float = 0f): List<Guess> {
    val areProbabilities = scores.all { it in 0f..1f } && abs(scores.sum() - 1) < max(1e-3f, error * scores.size)
    val largest = scores.fold(Float.NEGATIVE_INFINITY) { a, b -> maxOf(a, b) }
    val shares = if (areProbabilities) scores.asList() else scores.map { exp(it - largest) }
    val total = shares.sum()
    return shares.indices.sortedByDescending { shares[it] }.take(count).map { Guess(it, shares[it] / total) }
}
