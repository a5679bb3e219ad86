// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.Model;
import dev.nacre.NacreException;
import dev.nacre.Session;
import dev.nacre.SessionOptions;
import dev.nacre.State;
import java.nio.FloatBuffer;

/**
 * Arguments: a library, and weights files. Runs an input of ones with each file, and prints the first output or why there is
 * none; "none" is no file.
 */
public final class WeightsCheck {
  private WeightsCheck() {}

  private static String answer(Model model, SessionOptions options) {
    try (Session session = model.newSession(options)) {
      FloatBuffer input = session.inputFloats(0);
      while (input.hasRemaining())
        input.put(1);
      session.run();
      return String.valueOf(session.outputFloats(0).get(0));
    } catch (NacreException refused) {
      return refused.status() + ": " + refused.getMessage();
    }
  }

  public static void main(String[] arguments) {
    try (Model model = Model.open(arguments[0])) {
      for (int i = 1; i < arguments.length; ++i) {
        SessionOptions options = new SessionOptions().weightsFile(arguments[i].equals("none") ? null : arguments[i]);
        String first = answer(model, options);
        for (int again = 0; again < 100; ++again)
          if (!answer(model, options).equals(first))
            throw new AssertionError("another answer from the same file");
        System.out.println(first);
        if (model.states().isEmpty())
          continue;
        try (State state = model.newState(options)) {
          System.out.println(answer(model, options.state(state)).equals(first) ? "the same with a state" : "another with a state");
        } catch (NacreException refused) {
          System.out.println("no state: " + refused.status());
        }
      }
    }
  }
}
