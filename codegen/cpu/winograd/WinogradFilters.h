// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the Winograd transform of a convolution's filters, a panel at a time.
// Why:   a weight has the layout of direct products, and its transform is larger, such as 36 values for 9 taps. Filters
//        are therefore transformed just before their use.
// How:   by sweeps, if they suit the machine, else all values of a tile at once. A panel of bytes has several channels
//        of each column side by side. They are divided into groups of as many as the machine multiplies at once.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H

#include "codegen/cpu/winograd/WinogradSweeps.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Transformed values in scratch, [value of the tile][...]. `stride` elements of type `number` lie between two values
/// of a tile.
struct WinogradPlanes {
  mlir::Value buffer;
  int64_t stride = 0;
  mlir::Type number;
};

/// Stores the values of row `row` of a tile into their planes, from `to` on.
void storePlanes(VectorBuilder &build, int64_t row, llvm::ArrayRef<Term> values, const WinogradPlanes &planes,
                 mlir::Value to, Piece piece);

/// Returns `at`, hidden from LLVM except on arm64. LLVM then keeps one register for all addresses of a transform, with
/// their distances as offsets of instructions. NEON's instructions have no offset in addition to an index, so that
/// there LLVM should choose the registers itself.
Position hiddenPosition(VectorBuilder &build, Position at);

/// Widens a byte to the 16-bit number with which transforms begin; floats are unchanged.
mlir::Value widenedTo(VectorBuilder &build, mlir::Value element, mlir::Type number, bool isUnsigned);

class WinogradFilters {
public:
  /// `sweeps` is null if they do not suit the machine.
  WinogradFilters(VectorBuilder &build, const WinogradConvolution &contraction, const MachineRow &machine,
                  WinogradSweeps *sweeps, const WinogradPlanes &filters);

  /// Transforms the filters of `size` channels from `from` on. A tap's columns lie channel after channel.
  void emit(mlir::Value weight, mlir::Value from, int64_t size);

private:
  /// Returns the distance in the weight from the first tap to the tap (i, j).
  int64_t tapStride(int64_t i, int64_t j) const;
  void sweep(mlir::Value weight, mlir::Value from, int64_t elements);
  void emitFloats(mlir::Value weight, mlir::Value from, int64_t elements);
  void emitBytes(mlir::Value weight, mlir::Value from, int64_t size);
  /// Transforms taps, and stores one vector for each value of the rows `group`. `tap` returns a tap's vector.
  void transform(llvm::ArrayRef<int64_t> group, llvm::function_ref<Term(int64_t i, int64_t j)> tap, mlir::Value to,
                 Piece piece);

  VectorBuilder &build;
  const WinogradConvolution &contraction;
  const MachineRow &machine;
  WinogradSweeps *sweeps;
  const WinogradPlanes filters;
  const winograd::Method method;
  const int64_t inputs, width;
  const winograd::Pairs pairs;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H
