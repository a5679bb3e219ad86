// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the channels of an operand are, and the windows that slide over its other axes.
//
// Why:  `nn` has channels last, as most graphs of TensorFlow have; others stand between two transposes.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::tensorflow_format {

/// Of an operand [N, spatial..., C] or [N, C, spatial...].
struct Layout {
  bool isChannelsFirst = false;
  size_t axes = 2; ///< spatial ones

  mlir::Value toLast(NnBuilder &nn, mlir::Value x) const { return isChannelsFirst ? nn.toChannelsLast(x) : x; }
  mlir::Value fromLast(NnBuilder &nn, mlir::Value x) const { return isChannelsFirst ? nn.toChannelsFirst(x) : x; }
  /// The entries for spatial axes of what has one for each axis, and that of the channels.
  Ints spatial(Ints values) const { return values.slice(isChannelsFirst ? 2 : 1, axes); }
  int64_t channels(Ints values) const { return values[isChannelsFirst ? 1 : axes + 1]; }
};

/// Reads `data_format`, `NHWC` where it is missing, of a node with `axes` spatial axes.
Layout readLayout(OperandBinder &node, size_t axes);

/// A list with an entry for each axis of the layout: sizes of 1 and more along the spatial ones, 1 along the others.
/// As many times 1 where it is missing and may be; reports an error and gives those too.
llvm::SmallVector<int64_t> readSpatial(OperandBinder &node, llvm::StringRef name, const Layout &layout,
                                       bool isRequired = false);

/// How many elements are added at both ends of each axis.
struct AxisPads {
  llvm::SmallVector<int64_t> low, high;
};
/// What operand `index` holds for each axis of `rank`: two numbers, 0 or more; fails after an error.
mlir::FailureOr<AxisPads> readPads(OperandBinder &node, size_t index, int64_t rank);

/// The window of `kernel` cells over `spatial` axes: strides, dilations and padding as the node has them. Fails after
/// reporting an error, as where the window has no place.
mlir::FailureOr<Window> readWindow(OperandBinder &node, const Layout &layout, Ints kernel, Ints spatial,
                                   llvm::StringRef dilations = "dilations");

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H
