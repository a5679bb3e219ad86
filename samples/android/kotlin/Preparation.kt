// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import dev.nacre.Images
import dev.nacre.TensorInfo
import java.util.Properties
import kotlin.math.max

/**
 * How the network's pictures were prepared in training, as lines of picture.properties beside the labels:
 *
 *     resize=256               the shorter side, before the center is kept; without, as small as the input
 *     mean=0.485,0.456,0.406   subtracted from values of 0 to 1, or of 0 to range
 *     std=0.229,0.224,0.225
 *     range=255
 *     channels=bgr
 *
 * Without a mean or a deviation, those of ImageNet's pictures apply to three channels, and 0 and 1 to gray.
 */
class Preparation(private val lines: Properties = Properties()) {
    private val resize = lines.getProperty("resize")?.let { number("resize", it) }?.toInt()

    init {
        val unknown = lines.stringPropertyNames() - setOf("resize", "mean", "std", "range", "channels")
        require(unknown.isEmpty()) { "picture.properties has unknown lines: ${unknown.sorted().joinToString()}" }
    }

    fun makeImages(input: TensorInfo): Images {
        val isGray = 3L !in input.shape().takeLast(3)
        val images = Images(input).crop(true)
            .mean(*numbers("mean") ?: if (isGray) floatArrayOf(0f) else MEAN)
            .std(*numbers("std") ?: if (isGray) floatArrayOf(1f) else DEVIATION)
        lines.getProperty("range")?.let { images.range(number("range", it)) }
        lines.getProperty("channels")?.let { images.channels(channels(it)) }
        return images
    }

    /** The length to which the shorter side of a picture is scaled; all of [wide] by [high] pixels are then in the picture. */
    fun shorterSide(width: Int, height: Int, wide: Int, high: Int): Int {
        if (resize != null)
            return resize
        return if (width <= height) max(wide, quotientUp(high.toLong() * width, height))
        else max(high, quotientUp(wide.toLong() * height, width))
    }

    private fun quotientUp(number: Long, by: Int) = ((number + by - 1) / by).toInt()

    private fun numbers(name: String): FloatArray? =
        lines.getProperty(name)?.split(',')?.map { number(name, it) }?.toFloatArray()

    private fun number(name: String, text: String): Float =
        requireNotNull(text.trim().toFloatOrNull()) { "picture.properties: $name has '$text', which is not a number" }

    private fun channels(text: String): Images.Channels =
        requireNotNull(Images.Channels.values().find { it.name.equals(text.trim(), ignoreCase = true) }) {
            "picture.properties: channels must be rgb, bgr or gray, but is '$text'"
        }

    private companion object {
        val MEAN = floatArrayOf(0.485f, 0.456f, 0.406f)
        val DEVIATION = floatArrayOf(0.229f, 0.224f, 0.225f)
    }
}
