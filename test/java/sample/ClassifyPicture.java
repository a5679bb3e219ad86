// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.Model;
import dev.nacre.sample.ImageClassifier;
import dev.nacre.sample.Labels;
import dev.nacre.sample.Preparation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Properties;

/**
 * Arguments: a network's library and its picture.properties, then for each picture a file of RGBA, its width, height, bytes of a row
 * and rotation. Prints the best classes of each, then the speed.
 */
public final class ClassifyPicture {
  private ClassifyPicture() {}

  public static void main(String[] arguments) throws IOException {
    Labels labels = new Labels(Collections.emptyList());
    Properties lines = new Properties();
    try (InputStream file = Files.newInputStream(Paths.get(arguments[1]))) {
      lines.load(file);
    }
    try (Model model = Model.open(arguments[0]); dev.nacre.Session session = model.newSession()) {
      ImageClassifier classifier = new ImageClassifier(session, session, labels, new Preparation(lines));
      for (int i = 2; i < arguments.length; i += 5) {
        ByteBuffer rgba = ByteBuffer.wrap(Files.readAllBytes(Paths.get(arguments[i])));
        for (String guess : classifier.classify(rgba, Integer.parseInt(arguments[i + 1]), Integer.parseInt(arguments[i + 2]),
                                                Integer.parseInt(arguments[i + 3]), Integer.parseInt(arguments[i + 4]), 3))
          System.out.println(guess);
      }
      System.out.println(classifier.describeSpeed());
    }
  }
}
