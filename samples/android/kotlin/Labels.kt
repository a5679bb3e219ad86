// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample

import java.util.Locale

/** The names of classes: line number N of labels.txt, counted from 0, is the name of class N. */
class Labels(lines: List<String>) {
    private val names = lines.map { it.trim() }

    /** Returns the name and the probability of a class. A class without a name is shown by its number. */
    fun describe(guess: Guess): String {
        val name = names.getOrNull(guess.index)?.takeIf { it.isNotEmpty() } ?: "class ${guess.index}"
        return String.format(Locale.ROOT, "%s: %.0f %%", name, 100 * guess.probability)
    }
}
