// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dev.nacre.EntryInfo;
import dev.nacre.Model;
import dev.nacre.TensorInfo;
import java.util.List;

/** Prints what border.c prints; arguments: libraries, with the number of an entry behind each. */
public final class BorderCheck {
  private BorderCheck() {}

  private static String pair(float scale, int zeroPoint) {
    return String.format(" %08x %d", Float.floatToRawIntBits(scale), zeroPoint);
  }

  private static void print(String side, List<TensorInfo> tensors) {
    for (int i = 0; i < tensors.size(); ++i) {
      TensorInfo tensor = tensors.get(i);
      StringBuilder line = new StringBuilder(side + " " + i + ":" + pair(tensor.scale(), tensor.zeroPoint()));
      if (tensor.channelAxis() >= 0) {
        line.append(" axis ").append(tensor.channelAxis()).append(':');
        for (int channel = 0; channel < tensor.shape()[tensor.channelAxis()]; ++channel)
          line.append(pair(tensor.scale(channel), tensor.zeroPoint(channel)));
      } else if (tensor.scale(0) != tensor.scale() || tensor.zeroPoint(0) != tensor.zeroPoint()) {
        throw new AssertionError("an index must have the scale of all elements");
      }
      System.out.println(line);
    }
  }

  public static void main(String[] arguments) {
    for (int i = 0; i < arguments.length; i += 2)
      try (Model model = Model.open(arguments[i])) {
        EntryInfo entry = model.entries().get(Integer.parseInt(arguments[i + 1]));
        System.out.println(arguments[i]);
        print("input", entry.inputs());
        print("output", entry.outputs());
      }
  }
}
