// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample.sound

import java.nio.FloatBuffer

/** The latest [size] samples of a stream. After each [hop] new ones, a network can look at them. Half a window of silence comes first. */
class SlidingWindow(private val size: Int, private val hop: Int) {
    private val ring = FloatArray(size)
    private var next = 0
    private var missing = size - size / 2

    init {
        require(hop in 1..size) { "a hop must be 1 to $size samples, but is $hop" }
    }

    /** Adds the first [count] samples; calls [look] whenever the window has moved by a hop, with the window in the order of time. */
    fun add(samples: FloatArray, count: Int, window: FloatBuffer, look: () -> Unit) {
        for (i in 0 until count) {
            ring[next] = samples[i]
            next = (next + 1) % size
            if (--missing > 0)
                continue
            missing = hop
            window.duplicate().put(ring, next, size - next).put(ring, 0, next)
            look()
        }
    }
}
