// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the Winograd transform of a convolution's filters, one panel at a time.
// Why:   a weight has the layout of direct products. Its transform is larger, such as 36 values for 9 taps. Filters are
//        therefore transformed just before their use.
// How:   the transform consists of sweeps, if they suit the machine. Otherwise, all values of a tile are computed
//        together. A panel of bytes has several channels of each column side by side. They are divided into groups of
//        channels that the machine multiplies together.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H

#include "codegen/cpu/winograd/WinogradSweeps.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Transformed values in scratch, [value of the tile][...]. The distance between two values of a tile is `stride`
/// elements of type `number`.
struct WinogradPlanes {
  mlir::Value buffer;
  int64_t stride = 0;
  mlir::Type number;
};

/// Stores the values of row `row` of a tile into their planes, beginning at `to`.
void storePlanes(VectorBuilder &build, int64_t row, llvm::ArrayRef<Term> values, const WinogradPlanes &planes,
                 mlir::Value to, Piece piece);

/// Returns `at` in a form that, except on arm64, LLVM cannot analyze. LLVM then uses one register for all addresses of
/// a transform, and puts their distances into instructions as offsets. A NEON instruction cannot have both an offset
/// and an index. On arm64, LLVM therefore chooses the registers.
Position hiddenPosition(VectorBuilder &build, Position at);

/// Widens an element to the type with which transforms begin: a byte to a 16-bit integer, a half to f32. Returns f32
/// unchanged.
mlir::Value widenedTo(VectorBuilder &build, mlir::Value element, mlir::Type number, bool isUnsigned);

class WinogradFilters {
public:
  /// `sweeps` is null if sweeps do not suit the machine.
  WinogradFilters(VectorBuilder &build, const WinogradConvolution &contraction, const MachineRow &machine,
                  WinogradSweeps *sweeps, const WinogradPlanes &filters);

  /// Transforms the filters of `size` channels, beginning at `from`. The columns of each channel of a tap are
  /// consecutive.
  void emit(mlir::Value weight, mlir::Value from, int64_t size);

private:
  /// Returns the distance in the weight from the first tap to the tap (i, j).
  int64_t tapStride(int64_t i, int64_t j) const;
  void sweep(mlir::Value weight, mlir::Value from, int64_t elements);
  void emitFloats(mlir::Value weight, mlir::Value from, int64_t elements);
  void emitBytes(mlir::Value weight, mlir::Value from, int64_t size);
  /// Transforms taps, and stores one vector for each value of the rows `group`. `tap` returns the vector of a tap.
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
