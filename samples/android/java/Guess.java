// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A class of a network, and how probable it is. */
public final class Guess {
  private final int index;
  private final float probability;

  private Guess(int index, float probability) {
    this.index = index;
    this.probability = probability;
  }

  public int index() { return index; }

  public float probability() { return probability; }

  /** The most probable classes, the best first. Scores are what goes into a softmax, or what comes out of one. */
  public static List<Guess> best(FloatBuffer scores, int count) {
    int classes = scores.remaining();
    float largest = Float.NEGATIVE_INFINITY;
    float sum = 0;
    boolean areProbabilities = true;
    for (int i = 0; i < classes; ++i) {
      float score = scores.get(scores.position() + i);
      largest = Math.max(largest, score);
      sum += score;
      areProbabilities &= score >= 0 && score <= 1;
    }
    areProbabilities &= Math.abs(sum - 1) < 1e-3f;

    float total = 0;
    List<Guess> best = new ArrayList<>();
    for (int i = 0; i < classes; ++i) {
      float score = scores.get(scores.position() + i);
      float share = areProbabilities ? score : (float)Math.exp(score - largest);
      total += share;
      int at = best.size();
      while (at > 0 && best.get(at - 1).probability < share)
        --at;
      if (at < count)
        best.add(at, new Guess(i, share));
      if (best.size() > count)
        best.remove(count);
    }
    for (int i = 0; i < best.size(); ++i)
      best.set(i, new Guess(best.get(i).index, best.get(i).probability / total));
    return Collections.unmodifiableList(best);
  }
}
