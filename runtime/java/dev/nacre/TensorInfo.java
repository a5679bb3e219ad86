// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import androidx.annotation.NonNull;
import java.util.Arrays;

/** An input, an output or a tensor of the state: dense, the last dimension contiguous. */
public final class TensorInfo {
  private final String name;
  private final ElementType type;
  private final long[] shape;
  private final long bytes;
  private final float scale;
  private final int zeroPoint;
  private final long openAxes;
  private final int role;
  private final int channelAxis;
  /** A number for each channel: the scale in the lower half, the zero point in the upper one. */
  private final long[] channels;

  TensorInfo(Object[] description) {
    name = Native.text(description[0]);
    long[] numbers = (long[])description[1];
    type = ElementType.of(numbers[0]);
    bytes = numbers[1];
    scale = Float.intBitsToFloat((int)numbers[2]);
    zeroPoint = (int)numbers[3];
    openAxes = numbers[4];
    role = (int)numbers[5];
    channelAxis = (int)numbers[6];
    shape = Arrays.copyOfRange(numbers, 7, numbers.length);
    channels = description.length > 2 ? (long[])description[2] : new long[0];
  }

  @NonNull
  public String name() {
    return name;
  }

  @NonNull
  public ElementType type() {
    return type;
  }

  /** The maximum size of each axis; a copy. */
  @NonNull
  public long[] shape() {
    return shape.clone();
  }

  public long elements() {
    long product = 1;
    for (long dimension : shape)
      product *= dimension;
    return product;
  }

  /** Whether each axis is at least as long as in {@code other}. */
  boolean hasRoomFor(long[] other) {
    boolean hasRoom = shape.length == other.length;
    for (int i = 0; hasRoom && i < shape.length; ++i)
      hasRoom = shape[i] >= other[i];
    return hasRoom;
  }

  public long bytes() { return bytes; }

  /** Quantised tensors: real = scale * (stored - zeroPoint). Others: 1. If each channel has its own: 0. */
  public float scale() { return scale; }

  /** Quantised tensors: see {@link #scale()}. Others: 0. */
  public int zeroPoint() { return zeroPoint; }

  /** The axis whose indices have scales and zero points of their own; -1 if all elements have the same. */
  public int channelAxis() { return channelAxis; }

  /** The scale of an index of {@link #channelAxis}, or the one of all elements. */
  public float scale(int channel) { return channelAxis < 0 ? scale : Float.intBitsToFloat((int)channels[channel]); }

  /** The zero point of an index of {@link #channelAxis}, or the one of all elements. */
  public int zeroPoint(int channel) { return channelAxis < 0 ? zeroPoint : (int)(channels[channel] >> 32); }

  /** Whether the size of the axis depends on the data; see {@link Session#outputShape}. */
  public boolean isOpen(int axis) { return axis >= 0 && axis < 64 && (openAxes >>> axis & 1) != 0; }

  /** One of the ROLE constants of {@link State}; 0 for inputs and outputs. */
  public int role() { return role; }

  /** Such as {@code image: F32[1, 224, 224, 3]}. */
  @Override
  @NonNull
  public String toString() {
    return name + ": " + type + Arrays.toString(shape);
  }
}
