// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre.sample;

import dev.nacre.CompiledModel;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;

/** A network that names pictures. To be used by one thread at a time. */
public final class ImageClassifier implements AutoCloseable {
  private final CompiledModel network;
  private final Preprocessor preprocessor;
  private final FloatBuffer input;
  private final FloatBuffer output;

  /** The network's first input is a picture, its first output the scores of classes. It is closed with this. */
  public ImageClassifier(CompiledModel network) {
    this.network = network;
    preprocessor = new Preprocessor(network.session().inputs().get(0).shape());
    input = network.session().inputFloats(0);
    output = network.session().outputFloats(0);
  }

  /** As {@link Preprocessor#fill}. */
  public List<Guess> classify(ByteBuffer rgba, int width, int height, int rowStride, int rotation, int guesses) {
    preprocessor.fill(rgba, width, height, rowStride, rotation, input);
    network.run();
    return Guess.best(output, guesses);
  }

  @Override
  public void close() {
    network.close();
  }
}
