// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products of f16 or bf16 as text, each with the terms of its elements.
// Why:   tests compute elements in their own way, and know no loops.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_HALFPRODUCTS_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_HALFPRODUCTS_H

#include "test/unit/codegen/KernelTexts.h"

#include "llvm/ADT/APFloat.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nacre::codegen::test {

/// Largest relative error of rounding to f16, and largest absolute error near zero.
inline constexpr double kRounding = 0x1p-11, kTiny = 0x1p-25;

inline double roundedToHalf(double value) {
  llvm::APFloat number(value);
  bool loses;
  number.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

/// Indices of an element's factors in the left and the right operand, in the order of the depth.
using Terms = std::vector<std::pair<int64_t, int64_t>>;

struct Product {
  std::string text;
  int64_t columns = 1;
  std::function<Terms(int64_t element)> terms;
  bool hasBias = false, hasResidual = false, isRectified = false;
  std::optional<double> cap = {}; ///< Largest result.
  double errorOfSingles = 1e-5;   ///< Largest absolute error of fp32 sums.
};

inline Product matmul(MatmulText text, const std::string &element = "f16") {
  text.element = element;
  ProductText whole = text.product();
  if (text.cut == 1) // Shares of the columns begin at a panel.
    whole.grain = text.panel;
  Product product{whole.text(), text.n, {}};
  product.terms = [text](int64_t element) {
    const int64_t column = element % text.n, row = element / text.n % text.m, image = element / (text.n * text.m);
    Terms terms;
    for (int64_t k = 0; k < text.k; ++k)
      terms.push_back({image * text.m * text.k + (text.lhsTransposed ? k * text.m + row : row * text.k + k),
                       image * text.n * text.k + (text.transposed ? column * text.k + k : k * text.n + column)});
    return terms;
  };
  if (const int64_t inset = text.inset) // Rows of a slice lie in the middle of a larger storage.
    product.terms = [terms = product.terms, inset, k = text.k](int64_t element) {
      Terms moved = terms(element);
      for (auto &term : moved)
        term.first += inset * k;
      return moved;
    };
  return product;
}

inline Product convolution(ConvolutionText text, bool residual = false, const std::string &element = "f16") {
  text.element = element;
  text.finished(residual);
  Product product{text.text(), text.filters, {}, true, residual, true};
  product.terms = [text](int64_t element) {
    const Sizes taps = text.window.empty() ? Sizes(text.image.size(), 3) : text.window;
    auto reach = [&](size_t axis) {
      return (text.image[axis] - 1) * text.stride + (taps[axis] - 1) * text.dilation + 1;
    };
    const int64_t inputs = text.depthwise ? 1 : text.channels / text.groups, outputs = text.filters / text.groups;
    const int64_t column = element % text.filters, across = element / text.filters % text.image[1],
                  down = element / text.filters / text.image[1] % text.image[0],
                  image = element / text.filters / text.image[1] / text.image[0], group = column / outputs;
    Terms terms;
    for (int64_t i = 0; i < taps[0]; ++i)
      for (int64_t j = 0; j < taps[1]; ++j)
        for (int64_t c = 0; c < inputs; ++c) {
          const int64_t y = down * text.stride + i * text.dilation, x = across * text.stride + j * text.dilation;
          const int64_t channel = text.depthwise ? column : group * inputs + c;
          terms.push_back({((image * reach(0) + y) * reach(1) + x) * text.channels + channel,
                           ((i * taps[1] + j) * inputs + c) * text.filters + column});
        }
    return terms;
  };
  return product;
}

} // namespace nacre::codegen::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_HALFPRODUCTS_H
