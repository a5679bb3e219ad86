// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import dev.nacre.CompiledModel
import java.nio.ByteBuffer

/**
 * A network that names pictures: its first input is a picture, its first output the scores of classes. One thread may use it
 * at a time. [close] also closes the network.
 */
class ImageClassifier(private val network: CompiledModel, private val labels: Labels) : AutoCloseable {
    private val preprocessor = Preprocessor(network.session().inputs()[0].shape())
    private val input = network.session().inputFloats(0)
    private val output = network.session().outputFloats(0)
    private val latency = Latency()

    /** Returns a line for each of the best classes. The arguments are those of [Preprocessor.fill]. */
    fun classify(rgba: ByteBuffer, width: Int, height: Int, rowStride: Int, rotation: Int, guesses: Int): List<String> {
        preprocessor.fill(rgba, width, height, rowStride, rotation, input)
        val begin = System.nanoTime()
        network.run()
        latency.add(System.nanoTime() - begin)
        return bestGuesses(output, guesses).map { labels.describe(it) }
    }

    /** Returns the time of a run, and the engine that computes it. */
    fun describeSpeed(): String = "${latency.describe()}, ${describeEngine(network.session().info())}"

    override fun close() = network.close()
}
