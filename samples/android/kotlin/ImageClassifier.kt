// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import dev.nacre.Session
import java.nio.ByteBuffer

/**
 * A network that names pictures: its first input is a picture, its first output the scores of classes, as floats or quantized. One
 * thread may use it at a time. [close] also closes [owner], which has the session.
 */
class ImageClassifier(
    private val owner: AutoCloseable,
    private val network: Session,
    private val labels: Labels,
    private val preparation: Preparation
) : AutoCloseable {
    private val images = preparation.makeImages(network.inputs()[0])
    private val input = network.input(0)
    private val output = network.output(0)
    private val outputInfo = network.outputs()[0]
    private val wide: Int
    private val high: Int
    private val latency = Latency()

    init {
        val sides = network.inputs()[0].shape().takeLast(3).map { it.toInt() }
        val isFirst = sides.first() == 1 || sides.first() == 3
        wide = if (isFirst) sides[2] else sides[1]
        high = if (isFirst) sides[1] else sides[0]
    }

    /**
     * Returns a line for each of the best classes.
     *
     * @param rgba bytes in rows of [rowStride]
     * @param rotation degrees by which the picture must be turned clockwise to be upright: 0, 90, 180 or 270
     */
    fun classify(rgba: ByteBuffer, width: Int, height: Int, rowStride: Int, rotation: Int, guesses: Int): List<String> {
        val isTurned = rotation % 180 != 0
        val shorter = preparation.shorterSide(if (isTurned) height else width, if (isTurned) width else height, wide, high)
        images.resizeShorter(shorter).rotation(rotation).writeRgba(rgba, width, height, rowStride, input)
        val begin = System.nanoTime()
        network.run()
        latency.add(System.nanoTime() - begin)
        val scores = readScores(outputInfo, output)
        return bestGuesses(scores, guesses, outputInfo.scale() / 2).map { labels.describe(it) }
    }

    /** Returns the time of a run, and the engines that compute it. */
    fun describeSpeed(): String = "${latency.describe()}, ${network.info()}"

    override fun close() = owner.close()
}
