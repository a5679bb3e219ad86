// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import dev.nacre.SessionInfo
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

/** Names the engine that computes: the GPU, the CPU, or both. */
fun describeEngine(info: SessionInfo): String {
    val threads = if (info.threads() == 1) "1 thread" else "${info.threads()} threads"
    return when {
        info.device() == "" -> "CPU, $threads"
        info.cpuLaunches() == 0 -> "GPU: ${info.device()}"
        else -> "GPU: ${info.device()}, and CPU, $threads"
    }
}
