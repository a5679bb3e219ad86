// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;

/** The inputs or the outputs of an entry of a session: their descriptions, and their Java memory. */
final class Tensors {
  final List<TensorInfo> infos;
  private final Session session;
  private final boolean areOutputs;
  private final String what;
  private final ByteBuffer[] own;
  private final ByteBuffer[] bound; // keeps buffers alive whose addresses the runtime has

  Tensors(Session session, boolean areOutputs, List<TensorInfo> infos) {
    this.session = session;
    this.areOutputs = areOutputs;
    this.infos = infos;
    what = areOutputs ? "output" : "input";
    own = new ByteBuffer[infos.size()];
    bound = new ByteBuffer[infos.size()];
  }

  TensorInfo info(int index) {
    if (index < 0 || index >= infos.size())
      throw NacreException.badArgument("the entry has " + infos.size() + " " + what + "s, so it has no number " + index);
    return infos.get(index);
  }

  private int find(String name) {
    for (int i = 0; i < infos.size(); ++i)
      if (infos.get(i).name().equals(name))
        return i;
    throw NacreException.badArgument("the entry has no " + what + " '" + name + "'");
  }

  void bindCallers(int index, ByteBuffer buffer) {
    TensorInfo tensor = info(index);
    session.enter(this);
    try {
      if (buffer == null) {
        bindOwn(index);
        return;
      }
      long address = Buffers.addressOf(what, buffer, tensor, areOutputs);
      ByteBuffer slice = buffer.slice();
      slice.limit((int)tensor.bytes());
      bind(index, slice, address);
    } finally {
      session.guard.leave();
    }
  }

  void bindCallers(String name, ByteBuffer buffer) { bindCallers(find(name), buffer); }

  /** Requires that the runtime uses this entry. */
  void bindOwn() {
    for (int i = 0; i < own.length; ++i)
      bindOwn(i);
  }

  private void bindOwn(int index) {
    if (own[index] == null)
      own[index] = Buffers.allocate(infos.get(index).bytes());
    bind(index, own[index], Buffers.address(own[index]));
  }

  private void bind(int index, ByteBuffer buffer, long address) {
    Native.bind(session.handle(), areOutputs, index, address);
    bound[index] = buffer;
  }

  ByteBuffer view(int index) {
    info(index);
    session.enter(this);
    try {
      return bound[index].duplicate().order(ByteOrder.nativeOrder());
    } finally {
      session.guard.leave();
    }
  }

  ByteBuffer view(String name) { return view(find(name)); }

  FloatBuffer floats(int index) {
    Buffers.mustBeFloats(info(index));
    return view(index).asFloatBuffer();
  }

  FloatBuffer floats(String name) { return floats(find(name)); }

  long[] shape(int index) {
    int rank = info(index).shape().length;
    session.enter(this);
    try {
      return Native.outputShape(session.handle(), index, rank);
    } finally {
      session.guard.leave();
    }
  }

  long[] shape(String name) { return shape(find(name)); }
}
