// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis of an operand's channels, and windows that slide over its other axes.
//
// `nn` has channels last, as most graphs of TensorFlow do. Operators on other layouts are put between two transposes.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::tensorflow_format {

/// Layout of an operand: [N, spatial..., C] or [N, C, spatial...].
struct Layout {
  bool isChannelsFirst = false;
  size_t axes = 2; ///< number of spatial axes

  mlir::Value toLast(NnBuilder &nn, mlir::Value x) const { return isChannelsFirst ? nn.toChannelsLast(x) : x; }
  mlir::Value fromLast(NnBuilder &nn, mlir::Value x) const { return isChannelsFirst ? nn.toChannelsFirst(x) : x; }
  /// Returns the entries for spatial axes in a list with an entry for each axis; `channels` returns that of the
  /// channels.
  Ints spatial(Ints values) const { return values.slice(isChannelsFirst ? 2 : 1, axes); }
  int64_t channels(Ints values) const { return values[isChannelsFirst ? 1 : axes + 1]; }
};

/// Reads `data_format`, by default `NHWC`, of a node with `axes` spatial axes.
Layout readLayout(OperandBinder &node, size_t axes);

/// Reads a list with an entry for each axis of the layout: sizes of at least 1 along spatial axes, 1 along the others.
/// Returns ones if the list is missing, after an error if it is required.
llvm::SmallVector<int64_t> readSpatial(OperandBinder &node, llvm::StringRef name, const Layout &layout,
                                       bool isRequired = false);

/// Number of elements that are added at both ends of each axis.
struct AxisPads {
  llvm::SmallVector<int64_t> low, high;
};
/// Reads operand `index`, which has two numbers of at least 0 for each axis of `rank`; fails after an error.
mlir::FailureOr<AxisPads> readPads(OperandBinder &node, size_t index, int64_t rank);

/// Returns the window of `kernel` cells over `spatial` axes, with the node's strides, dilations and padding. Fails
/// after an error, for example if the window does not fit.
mlir::FailureOr<Window> readWindow(OperandBinder &node, const Layout &layout, Ints kernel, Ints spatial,
                                   llvm::StringRef dilations = "dilations");

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H
