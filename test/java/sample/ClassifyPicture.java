// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.sample.Guess;
import dev.nacre.sample.ImageClassifier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Arguments: a file of RGBA, its width, height, bytes of a row and rotation. Prints each class and its probability. */
public final class ClassifyPicture {
  private ClassifyPicture() {}

  public static void main(String[] arguments) throws IOException {
    ByteBuffer rgba = ByteBuffer.wrap(Files.readAllBytes(Paths.get(arguments[0])));
    try (ImageClassifier classifier = new ImageClassifier(new dev.nacre.model.Convnet())) {
      for (Guess guess : classifier.classify(rgba, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]),
                                             Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]), 10))
        System.out.println(guess.index() + " " + guess.probability());
    }
  }
}
