// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.DeviceInfo;
import dev.nacre.Log;
import dev.nacre.Model;
import dev.nacre.Session;
import dev.nacre.SessionOptions;
import dev.nacre.SessionOptions.Gpu;
import java.io.File;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A model with GPU code, on what plays a GPU here; arguments: the library and a folder for caches. */
public final class GpuCheck {
  private GpuCheck() {}

  private static float[] answers(Model model, SessionOptions options, String expectedDevice)
      throws InterruptedException {
    try (Session session = model.newSession(options)) {
      FloatBuffer input = session.inputFloats(0);
      for (int i = 0; i < input.capacity(); ++i)
        input.put(i, (i % 251 - 125) / 100f);
      session.run();
      // What is made ready in the background is there at some later run.
      for (int wait = 0; session.info().device().isEmpty() != expectedDevice.isEmpty() && wait < 600; ++wait) {
        Thread.sleep(50);
        session.run();
      }
      if (!session.info().device().contains(expectedDevice) ||
          expectedDevice.isEmpty() != session.info().device().isEmpty())
        throw new AssertionError("computed by '" + session.info().device() + "': " + session.info().reason());
      if (!expectedDevice.isEmpty() && (session.info().gpuLaunches() == 0 || session.info().gpuBytes() == 0))
        throw new AssertionError("the GPU has computed nothing");
      FloatBuffer output = session.outputFloats(0);
      float[] values = new float[output.capacity()];
      output.get(values);
      return values;
    }
  }

  private static void mustBeNear(float[] one, float[] other) {
    for (int i = 0; i < one.length; ++i)
      if (!(Math.abs(one[i] - other[i]) <= 1e-4))
        throw new AssertionError(one[i] + " and " + other[i]);
  }

  public static void main(String[] arguments) throws InterruptedException {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    Log log = (level, message) -> {
      heard.add(level + ": " + message);
      threads.add(Thread.currentThread());
    };
    try (Model model = Model.open(arguments[0])) {
      if (model.devices().isEmpty()) {
        System.out.println("no device");
        return;
      }
      DeviceInfo device = model.devices().get(0);
      if (!device.isUsable() || device.report().isEmpty())
        throw new AssertionError(device.report());
      float[] expected = answers(model, new SessionOptions().gpu(Gpu.NEVER), "");
      mustBeNear(
          answers(model, new SessionOptions().gpu(Gpu.REQUIRED).log(log).cacheFolder(arguments[1]), device.name()),
          expected);
      if (new File(arguments[1]).list().length == 0)
        throw new AssertionError("nothing is in the cache folder");
      mustBeNear(answers(model,
                         new SessionOptions().gpuDevice(0).gpuInBackground(true).log(log).cacheFolder(arguments[1]),
                         device.name()),
                 expected);
      if (!threads.stream().anyMatch(thread -> thread != Thread.currentThread()))
        throw new AssertionError("no thread of the runtime has logged: " + heard);
      mustBeNear(answers(model, new SessionOptions().gpuDevice(0).gpuShare(50).gpuSequential(true).profile(true),
                         device.name()),
                 expected);
      System.out.println("computed by " + device.name());
    }
  }
}
