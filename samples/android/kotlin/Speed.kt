// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import java.util.ArrayDeque
import java.util.Locale

/** The median time of the latest runs: a single run may be slow because the phone did something else. */
class Latency(private val most: Int = 31) {
    private val times = ArrayDeque<Long>()

    fun add(nanoseconds: Long) {
        times.addLast(nanoseconds)
        if (times.size > most)
            times.removeFirst()
    }

    fun describe(): String = String.format(Locale.ROOT, "%.1f ms", times.sorted()[times.size / 2] / 1e6)
}
