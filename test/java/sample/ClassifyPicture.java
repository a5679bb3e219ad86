// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.sample.ImageClassifier;
import dev.nacre.sample.Labels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;

/** Arguments: a file of RGBA, its width, height, bytes of a row and rotation. Prints the best classes, then the speed. */
public final class ClassifyPicture {
  private ClassifyPicture() {}

  public static void main(String[] arguments) throws IOException {
    ByteBuffer rgba = ByteBuffer.wrap(Files.readAllBytes(Paths.get(arguments[0])));
    Labels labels = new Labels(Collections.emptyList());
    try (ImageClassifier classifier = new ImageClassifier(new dev.nacre.model.Convnet(), labels)) {
      for (String guess : classifier.classify(rgba, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]),
                                              Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]), 3))
        System.out.println(guess);
      System.out.println(classifier.describeSpeed());
    }
  }
}
