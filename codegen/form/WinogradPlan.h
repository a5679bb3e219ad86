// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tiles of a Winograd convolution, or of the gradient of its filter.
// Why:   both engines cut images into the same tiles, forward and backward. Tables count them, and emitters compute
//        their positions. How a core or a workgroup shares tiles is the engine's own choice.
// How:   tiles cover the whole image. The last tile of a line may extend beyond it. Elements there are copies of the
//        last one that belongs to the image, and results there are not kept.

#ifndef NACRE_CODEGEN_FORM_WINOGRADPLAN_H
#define NACRE_CODEGEN_FORM_WINOGRADPLAN_H

#include "codegen/form/ContractionShape.h"
#include "codegen/form/Winograd.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen {

struct WinogradPlan {
  WinogradPlan(const WinogradShape &shape, int64_t outputs) : shape(shape), method{outputs, shape.taps} {}

  /// Returns the number of tiles that cover an image along each dimension.
  int64_t down() const { return llvm::divideCeil(shape.height, method.outputs); }
  int64_t across() const { return llvm::divideCeil(shape.width, method.outputs); }
  int64_t tilesOfImage() const { return down() * across(); }
  /// Returns the number of tiles of all images.
  int64_t tiles() const { return shape.images * tilesOfImage(); }

  /// Return the size of the cut axis in whole tiles, and the number of tiles of each such step.
  int64_t steps() const { return shape.cutAmongImages ? shape.images : down(); }
  int64_t tilesOfStep() const { return shape.cutAmongImages ? tilesOfImage() : across(); }

  /// Returns the number of outputs of the last tile in a line of `size` outputs; 0 if all tiles are whole.
  int64_t rest(int64_t size) const { return size % method.outputs; }
  /// True if no tile extends beyond its image.
  bool isWhole() const { return rest(shape.height) == 0 && rest(shape.width) == 0; }

  /// Returns the index of the last element that belongs to a line of `size` outputs. Each tile has `elements` elements:
  /// method.inputs() of the input, or method.outputs of the outputs.
  int64_t lastElement(int64_t size, int64_t elements) const { return size + elements - method.outputs - 1; }

  /// Returns the multiply-adds of the direct convolution.
  double multiplyAdds() const {
    return double(shape.outputs) * double(shape.taps * shape.taps) * double(shape.inputs) * double(shape.images) *
           double(shape.height) * double(shape.width) * double(shape.groups);
  }

  const WinogradShape shape;
  const winograd::Method method; ///< Both dimensions have the same method.
};

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_WINOGRADPLAN_H
