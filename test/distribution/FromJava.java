// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import dev.nacre.Model;
import dev.nacre.Session;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;

/** usage: FromJava LIBRARY INPUT.npy ANSWER.npy; says whether the model's only output is the answer, to the last bit. */
final class FromJava {
  private FromJava() {}

  private static FloatBuffer read(String path) throws Exception {
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(Paths.get(path))).order(ByteOrder.LITTLE_ENDIAN);
    file.position(10 + file.getShort(8)); // a header that says how long it is
    return file.slice().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
  }

  public static void main(String[] arguments) throws Exception {
    try (Model model = Model.open(arguments[0]); Session session = model.newSession()) {
      session.inputFloats(0).put(read(arguments[1]));
      session.run();
      FloatBuffer expected = read(arguments[2]);
      System.out.println(session.outputFloats(0).equals(expected) ? "equal" : "not equal");
    }
  }
}
