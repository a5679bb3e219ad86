// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the transform of a convolution's filters by Winograd, a panel at a time.
// Why:   a weight lies as direct products want it, and a transform has as many numbers as 36 for each 9 taps: they are made where
//        they are used.
// How:   by sweeps, where they suit the machine, else a tile's numbers at once. Of bytes a panel has several channels of each column
//        side by side, which are taken apart into as many as the machine multiplies at once.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADFILTERS_H

#include "codegen/cpu/winograd/WinogradSweeps.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// [number of the tile][...] in scratch: elements from a number to the next, and what they are.
struct WinogradPlanes {
  mlir::Value buffer;
  int64_t stride = 0;
  mlir::Type number;
};

/// The numbers of a row of a tile, from `to` on in their planes.
void storePlanes(VectorBuilder &build, int64_t row, llvm::ArrayRef<Term> values, const WinogradPlanes &planes,
                 mlir::Value to, Piece piece);

/// From which a transform's addresses are so far. NEON's instructions have no offset beside an index: there the search for
/// what to have in registers pays.
Position hiddenPosition(VectorBuilder &build, Position at);

/// A byte as the number of 16 bits that transforms begin with; floats are left alone.
mlir::Value widenedTo(VectorBuilder &build, mlir::Value element, mlir::Type number, bool isUnsigned);

class WinogradFilters {
public:
  /// `sweeps`: null where they do not suit the machine.
  WinogradFilters(VectorBuilder &build, const WinogradConvolution &contraction, const MachineRow &machine,
                  WinogradSweeps *sweeps, const WinogradPlanes &filters);

  /// Those of `size` channels from `from` on, where a tap's columns are channel after channel.
  void emit(mlir::Value weight, mlir::Value from, int64_t size);

private:
  /// From one tap to the next, in the weight.
  int64_t tapStride(int64_t i, int64_t j) const;
  void sweep(mlir::Value weight, mlir::Value from, int64_t elements);
  void emitFloats(mlir::Value weight, mlir::Value from, int64_t elements);
  void emitBytes(mlir::Value weight, mlir::Value from, int64_t size);
  /// One vector of each number of the rows `group`, of taps as vectors.
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
