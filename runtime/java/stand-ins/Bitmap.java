// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package android.graphics;

/** What Images uses of Android's class. Only to compile against: not in the jar. */
public final class Bitmap {
  private Bitmap() {}

  public native int getWidth();

  public native int getHeight();

  public native void getPixels(int[] pixels, int offset, int stride, int x, int y, int width, int height);
}
