// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of separable convolutions as text, as nacre-form-kernels writes them.
// Why:   the engines are tested on the same kernels; a test gives sizes and special properties, not MLIR.

#ifndef NACRE_TEST_UNIT_CODEGEN_SEPARABLETEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_SEPARABLETEXTS_H

#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace nacre::codegen {

/// An image of `height` x `width` pixels of the result; the input has its border already around it.
struct SeparableText {
  int64_t height, width, channels, columns;
  int64_t taps = 3, stride = 1, batch = 1;
  bool between = true;   ///< A bias and bounds follow the depthwise half,
  bool residual = false; ///< a bias the other one, and then a tensor, or a bound.
  std::string element = "f32";
  unsigned cut = 1;              ///< Axis of the result.
  int64_t inset = 0;             ///< The input is a slice so far inside of its storage.
  std::string encoding = "unit"; ///< Encoding of the matrix.

  std::string text() const;
};

inline constexpr char kSeparable[] = R"(
plan.kernel @kernel separable (%x: tensor<XSTORAGExTYPE>, %f: tensor<TAPSxTAPSxCxTYPE>, %g: tensor<CxTYPE>, %w: tensor<1x1xCxKxTYPE>,
                               %b: tensor<KxTYPE>, %add: tensor<BxHxWxKxTYPE>)
    into (%y: tensor<BxHxWxKxTYPE>) cut AXIS : EXTENT by 1 attributes {encodings = [unit, unit, unit, ENCODING, unit, unit]} {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %in = tensor.extract_slice %x[0, INSET, INSET, 0] [B, IH, IW, C] [1, 1, 1, 1] : tensor<XSTORAGExTYPE> to tensor<BxIHxIWxCxTYPE>
  %e0 = tensor.empty() : tensor<BxHxWxCxf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<BxHxWxCxf32>) -> tensor<BxHxWxCxf32>
  %d = linalg.generic {indexing_maps = [affine_map<(n, p, q, c, i, j) -> (n, p * STRIDE + i, q * STRIDE + j, c)>,
                                        affine_map<(n, p, q, c, i, j) -> (i, j, c)>, affine_map<(n, p, q, c, i, j) -> (n, p, q, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%in, %f : tensor<BxIHxIWxCxTYPE>, tensor<TAPSxTAPSxCxTYPE>) outs(%f0 : tensor<BxHxWxCxf32>) {
  ^bb0(%a: TYPE, %v: TYPE, %o: f32):
    WIDEN
    %p = arith.mulf %aw, %vw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<BxHxWxCxf32>
BETWEEN
  %e2 = tensor.empty() : tensor<BxHxWxKxf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<BxHxWxKxf32>) -> tensor<BxHxWxKxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, k, c) -> (n, p, q, c)>, affine_map<(n, p, q, k, c) -> (0, 0, c, k)>,
                                        affine_map<(n, p, q, k, c) -> (n, p, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%m, %w : tensor<BxHxWxCxTYPE>, tensor<1x1xCxKxTYPE>) outs(%f2 : tensor<BxHxWxKxf32>) {
  ^bb0(%a: TYPE, %v: TYPE, %o: f32):
    WIDEN
    %p = arith.mulf %aw, %vw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<BxHxWxKxf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, p, q, k) -> (n, p, q, k)>, affine_map<(n, p, q, k) -> (k)>, affine_map<(n, p, q, k) -> (n, p, q, k)>,
                                        affine_map<(n, p, q, k) -> (n, p, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %b, %add : tensor<BxHxWxKxf32>, tensor<KxTYPE>, tensor<BxHxWxKxTYPE>) outs(%y : tensor<BxHxWxKxTYPE>) {
  ^bb0(%s: f32, %a: TYPE, %v: TYPE, %o: TYPE):
    WIDEN
    %t = arith.addf %s, %aw : f32
    RESIDUAL
    NARROWu
    linalg.yield %un : TYPE
  } -> tensor<BxHxWxKxTYPE>
  plan.yield %z : tensor<BxHxWxKxTYPE>
}
)";

inline constexpr char kBetweenHalves[] = R"(  %e1 = tensor.empty() : tensor<BxHxWxCxTYPE>
  %m = linalg.generic {indexing_maps = [affine_map<(n, p, q, c) -> (n, p, q, c)>, affine_map<(n, p, q, c) -> (c)>,
                                        affine_map<(n, p, q, c) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d, %g : tensor<BxHxWxCxf32>, tensor<CxTYPE>) outs(%e1 : tensor<BxHxWxCxTYPE>) {
  ^bb0(%s: f32, %a: TYPE, %o: TYPE):
    WIDENaLONE
    %t = arith.addf %s, %aw : f32
    %l = arith.maximumf %t, %zero : f32
    %u = arith.minimumf %l, %six : f32
    NARROWu
    linalg.yield %un : TYPE
  } -> tensor<BxHxWxCxTYPE>)";

inline std::string SeparableText::text() const {
  const bool wide = element == "f32";
  const std::string alone = wide ? "" : "%aw = arith.extf %a : TYPE to f32";
  const std::string both = alone + (wide ? "" : "\n    %vw = arith.extf %v : TYPE to f32");
  const int64_t inHeight = (height - 1) * stride + taps, inWidth = (width - 1) * stride + taps;
  auto number = [](int64_t value) { return std::to_string(value); };
  const int64_t extents[] = {batch, height, width, columns};
  // In order: what a value brings in is replaced by those behind it.
  const std::vector<std::pair<const char *, std::string>> values = {
      {"BETWEEN", between ? kBetweenHalves : ""},
      {"%m, %w", between ? "%m, %w" : "%d, %w"},
      {"WIDENaLONE", alone},
      {"WIDEN", both},
      {"RESIDUAL", residual ? "%u = arith.addf %t, %vw : f32" : "%u = arith.maximumf %t, %zero : f32"},
      {"NARROWu", wide ? "" : "%un = arith.truncf %u : f32 to TYPE"},
      {"%([avu])[wn]\\b", wide ? "%$1" : "$&"},
      {"XSTORAGE",
       number(batch) + "x" + number(inHeight + 2 * inset) + "x" + number(inWidth + 2 * inset) + "x" + number(channels)},
      {"TYPE", element},
      {"ENCODING", encoding},
      {"AXIS", number(cut)},
      {"EXTENT", number(extents[cut])},
      {"STRIDE", number(stride)},
      {"INSET", number(inset)},
      {"TAPSx", number(taps) + "x"},
      {"\\bB, IH, IW, C\\b",
       number(batch) + ", " + number(inHeight) + ", " + number(inWidth) + ", " + number(channels)},
      {"BxIHxIWxCx", number(batch) + "x" + number(inHeight) + "x" + number(inWidth) + "x" + number(channels) + "x"},
      {"BxHxWx", number(batch) + "x" + number(height) + "x" + number(width) + "x"},
      {"Cx", number(channels) + "x"},
      {"Kx", number(columns) + "x"},
  };
  std::string made = kSeparable;
  for (const auto &[name, value] : values)
    made = std::regex_replace(made, std::regex(name), value);
  return made;
}

/// Test cases of both engines: windows and strides, several images, channels that are no fours and more than a
/// part has, as many columns as no tile, nothing between the halves with a packed matrix, and cuts along every axis.
inline std::vector<SeparableText> separableTexts() {
  std::vector<SeparableText> texts = {{5, 4, 16, 40, 3, 2}, {4, 4, 8, 16, 5, 1}, {4, 5, 70, 131},
                                      {4, 5, 70, 131},      {6, 5, 24, 40},      {1, 1, 20, 36}};
  texts[0].inset = texts[1].inset = 1;
  texts[2].batch = texts[3].batch = 2;
  texts[2].residual = texts[3].residual = true;
  texts[3].cut = 0;
  texts[4].between = false;
  texts[4].encoding = "#plan.encoding<panel, width = 16>";
  texts[5].cut = 3;
  return texts;
}

inline SeparableText separableTextOfHalves() {
  SeparableText text{13, 4, 32, 20};
  text.element = "f16";
  return text;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_SEPARABLETEXTS_H
