// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of an operand's channel axis, and windows that slide over its other axes.
//
// `nn` has channels last, like most graphs of TensorFlow. Operators on other layouts are placed between two transposes.

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
  /// Return the entries for spatial axes, or the entry for the channels, of a list with an entry for each axis.
  Ints spatial(Ints values) const { return values.slice(isChannelsFirst ? 2 : 1, axes); }
  int64_t channels(Ints values) const { return values[isChannelsFirst ? 1 : axes + 1]; }
};

/// Reads the attribute `data_format` of a node with `axes` spatial axes. The default is `NHWC`.
Layout readLayout(OperandBinder &node, size_t axes);

/// Reads the attribute `name`, a list with an entry for each axis: sizes of at least 1 for spatial axes, and 1 for the
/// others. Returns ones if the list is missing, after an error if `isRequired`.
llvm::SmallVector<int64_t> readSpatial(OperandBinder &node, llvm::StringRef name, const Layout &layout,
                                       bool isRequired = false);

/// Number of elements that are added at both ends of each axis.
struct AxisPads {
  llvm::SmallVector<int64_t> low, high;
};
/// Reads the operand `index`, which has two numbers of at least 0 for each of `rank` axes. Fails after an error.
mlir::FailureOr<AxisPads> readPads(OperandBinder &node, size_t index, int64_t rank);

/// Returns a window of size `kernel` that slides over axes of the sizes `spatial`, with the node's strides, dilations
/// and padding. Fails after an error, for example if the window does not fit.
mlir::FailureOr<Window> readWindow(OperandBinder &node, const Layout &layout, Ints kernel, Ints spatial,
                                   llvm::StringRef dilations = "dilations");

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_LAYOUT_H
