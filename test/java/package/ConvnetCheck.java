// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.Model;
import dev.nacre.NacreException;
import dev.nacre.SessionOptions;
import dev.nacre.model.Convnet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;

/** An app: it compiles only if the AAR's class has the model's names, and runs by what lies in java.library.path. */
public final class ConvnetCheck {
  private ConvnetCheck() {}

  /** The numbers of a .npy of 32-bit floats. */
  private static FloatBuffer read(String path) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(Paths.get(path))).order(ByteOrder.LITTLE_ENDIAN);
    bytes.position(10 + bytes.getShort(8));
    return bytes.slice().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
  }

  private static void check(Convnet convnet, FloatBuffer image, FloatBuffer expected) {
    convnet.inputImage().put(image.duplicate());
    convnet.run();
    FloatBuffer probabilities = convnet.outputProbabilities();
    if (probabilities.remaining() != expected.remaining())
      throw new AssertionError(probabilities + " for " + expected);
    for (int i = 0; i < expected.remaining(); ++i)
      if (Math.abs(probabilities.get(i) - expected.get(i)) > 1e-5)
        throw new AssertionError("probability " + i + " is " + probabilities.get(i));
  }

  public static void main(String[] arguments) throws IOException {
    FloatBuffer image = read(arguments[0]);
    FloatBuffer expected = read(arguments[1]);
    try (Convnet convnet = new Convnet()) {
      check(convnet, image, expected);
    }
    try (Convnet convnet = new Convnet(new SessionOptions().threads(1))) {
      check(convnet, image, expected);
      if (convnet.session().info().threads() != 1)
        throw new AssertionError("the options are not the session's");
    }
    try (Model model = Model.load("convnet")) {
      Convnet convnet = new Convnet(model, new SessionOptions());
      check(convnet, image, expected);
      convnet.close();
      model.newSession().close(); // it is still open
    }
    try {
      Convnet closed = new Convnet();
      closed.close();
      closed.run();
      throw new AssertionError("a closed model has run");
    } catch (NacreException refused) {
      System.out.println(Convnet.INPUT_IMAGE + " " + Convnet.OUTPUT_PROBABILITIES + ": " + refused.getMessage());
    }
  }
}
