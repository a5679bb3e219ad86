// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import java.nio.ByteBuffer
import java.nio.FloatBuffer
import kotlin.math.max
import kotlin.math.min

/** Makes a network's input from a camera's picture: its middle, upright, as small as the network expects. */
class Preprocessor(shape: LongArray) {
    private val channelsFirst = shape.size == 4 && shape[1] == CHANNELS
    private val height: Int
    private val width: Int

    init {
        require(shape.size == 4 && shape[0] == 1L && (channelsFirst || shape[3] == CHANNELS)) {
            "the input must be one picture of three channels, but its shape is ${shape.contentToString()}"
        }
        height = shape[if (channelsFirst) 2 else 1].toInt()
        width = shape[if (channelsFirst) 3 else 2].toInt()
    }

    /**
     * Fills the input with the mean of the pixels in each of its cells.
     *
     * @param rgba bytes in rows of [rowStride]
     * @param rotation degrees by which the picture must be turned clockwise to be upright: 0, 90, 180 or 270
     */
    fun fill(rgba: ByteBuffer, rgbaWidth: Int, rgbaHeight: Int, rowStride: Int, rotation: Int, input: FloatBuffer) {
        require(rotation in setOf(0, 90, 180, 270)) { "a rotation must be 0, 90, 180 or 270 degrees, but is $rotation" }
        // The rows and columns of cells in the camera's picture, which may lie on its side.
        val isTurned = rotation % 180 != 0
        val columns = if (isTurned) height else width
        val rows = if (isTurned) width else height
        val side = min(rgbaWidth, rgbaHeight)
        val left = (rgbaWidth - side) / 2
        val top = (rgbaHeight - side) / 2
        for (row in 0 until rows) {
            val y0 = top + side * row / rows
            val y1 = max(y0 + 1, top + side * (row + 1) / rows)
            for (column in 0 until columns) {
                val x0 = left + side * column / columns
                val x1 = max(x0 + 1, left + side * (column + 1) / columns)
                val pixel = when (rotation) {
                    0 -> row * width + column
                    90 -> column * width + (rows - 1 - row)
                    180 -> (rows - 1 - row) * width + (columns - 1 - column)
                    else -> (columns - 1 - column) * width + row
                }
                for (channel in 0 until CHANNELS.toInt()) {
                    var sum = 0
                    for (y in y0 until y1)
                        for (x in x0 until x1)
                            sum += rgba.get(y * rowStride + x * PIXEL_BYTES + channel).toInt() and 0xff
                    val mean = sum / (255f * (y1 - y0) * (x1 - x0))
                    val at = if (channelsFirst) channel * height * width + pixel else pixel * CHANNELS.toInt() + channel
                    input.put(at, (mean - MEAN[channel]) / DEVIATION[channel])
                }
            }
        }
    }

    private companion object {
        const val CHANNELS = 3L
        const val PIXEL_BYTES = 4

        /** Of ImageNet's pictures; a network that was trained on others needs theirs. */
        val MEAN = floatArrayOf(0.485f, 0.456f, 0.406f)
        val DEVIATION = floatArrayOf(0.229f, 0.224f, 0.225f)
    }
}
