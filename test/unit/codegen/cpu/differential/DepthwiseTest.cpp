// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions of bytes, with every instruction set; see Differential.h. Sums of integers are exact: no bit
// may differ from the fallback's loops.

#include "test/unit/codegen/cpu/Differential.h"

#include "llvm/Support/FormatVariadic.h"

using namespace nacre::codegen;

namespace {

enum class After {
  Nothing,    ///< Sums of i32 are the result.
  Requantize, ///< A zero point for each channel, a bias, a scale; then bytes of the elements' sign.
  AddBytes,   ///< The same, and a residual of bytes.
  Wrap,       ///< A constant, then the lowest bytes of the sums.
  Scale       ///< A float for each sum.
};

/// Channels last, the border already around the image.
struct DepthwiseText {
  int64_t height, width, channels;
  int64_t windowHeight = 3, windowWidth = 3;
  int64_t strideDown = 1, strideAcross = 1, dilation = 1, batch = 1;
  bool isUnsignedLhs = true, isUnsignedRhs = false;
  After after = After::Requantize;
  unsigned cut = 1;
  int64_t halo = 0; ///< Around the result's image, of a zero point.

  std::string text() const;

private:
  std::string epilogue() const;
  const char *resultElement() const { return after == After::Nothing ? "i32" : after == After::Scale ? "f32" : "i8"; }
};

/// Replaces what is in braces; MLIR's own are doubled.
template <typename... Values> std::string filled(const char *text, Values &&...values) {
  return llvm::formatv(text, std::forward<Values>(values)...).str();
}

std::string DepthwiseText::epilogue() const {
  const int zero = isUnsignedLhs ? 3 : -5, low = isUnsignedLhs ? 0 : -128, high = isUnsignedLhs ? 255 : 127;
  switch (after) {
  case After::Nothing:
    return "";
  case After::Requantize:
  case After::AddBytes: {
    std::string text = R"(    %d = arith.subi %a, %zero : i32
    %e = arith.addi %d, %bias : i32
    %f = arith.sitofp %e : i32 to f32
    %tiny = arith.constant 0.004 : f32
    %g = arith.mulf %f, %scale : f32
    %h = arith.mulf %g, %tiny : f32
)";
    if (after == After::AddBytes)
      text += filled(R"(    %rw = arith.{0} %residual : i8 to i32
    %rf = arith.sitofp %rw : i32 to f32
    %sum = arith.addf %h, %rf : f32
)",
                     isUnsignedLhs ? "extui" : "extsi");
    return text + filled(R"(    %z = arith.constant {0} : i16
    %r = plan.round {1} plus %z in {2} to {3} : i8
)",
                         zero, after == After::AddBytes ? "%sum" : "%h", low, high);
  }
  case After::Wrap:
    return R"(    %seven = arith.constant 7 : i32
    %d = arith.addi %a, %seven : i32
    %r = arith.trunci %d : i32 to i8
)";
  case After::Scale:
    return R"(    %d = arith.addi %bias, %a : i32
    %f = arith.sitofp %d : i32 to f32
    %r = arith.mulf %f, %scale : f32
)";
  }
  llvm_unreachable("unknown epilogue");
}

std::string DepthwiseText::text() const {
  auto tensor = [](const std::vector<int64_t> &shape, const char *element) {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  };
  const int64_t high = (height - 1) * strideDown + (windowHeight - 1) * dilation + 1;
  const int64_t wide = (width - 1) * strideAcross + (windowWidth - 1) * dilation + 1;
  const std::vector<int64_t> image = {batch, height, width, channels};
  const std::string x = tensor({batch, high, wide, channels}, "i8"),
                    w = tensor({windowHeight, windowWidth, channels}, "i8"), sums = tensor(image, "i32"),
                    plain = tensor(image, resultElement()), perChannel = tensor({channels}, "i32"),
                    scales = tensor({channels}, "f32"), bytes = tensor(image, "i8"),
                    storage = tensor({batch, height + 2 * halo, width + 2 * halo, channels}, resultElement());
  const bool finishes = after != After::Nothing;
  std::string text = "\nplan.kernel @kernel contraction (%x: " + x + ", %w: " + w;
  if (finishes)
    text += ", %zeros: " + perChannel + ", %biases: " + perChannel + ", %scales: " + scales + ", %before: " + bytes;
  text += filled(") into (%y: {0}) cut {1} : {2} by 1 {{\n", storage, cut, image[cut]);
  text += "  %none = arith.constant 0 : i32\n";
  const std::string slice =
      filled("[0, {0}, {0}, 0] [{1}, {2}, {3}, {4}] [1, 1, 1, 1]", halo, batch, height, width, channels);
  std::string target = "%y";
  if (halo) {
    text += filled(
        "  %border = arith.constant 77 : {0}\n  %region = linalg.fill ins(%border : {0}) outs(%y : {1}) -> {1}\n",
        resultElement(), storage);
    text += "  %t = tensor.extract_slice %region" + slice + " : " + storage + " to " + plain + "\n";
    target = "%t";
  }
  std::string start = target;
  if (finishes) {
    text += "  %empty = tensor.empty() : " + sums + "\n";
    start = "%empty";
  }
  text += "  %start = linalg.fill ins(%none : i32) outs(" + start + " : " + sums + ") -> " + sums + "\n";
  text += filled(
      R"(  %c = linalg.generic {{indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h * {0} + i * {2}, w * {1} + j * {2}, c)>,
      affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : {3}, {4}) outs(%start : {5}) {{
  ^bb0(%a: i8, %b: i8, %o: i32):
    %aw = arith.{6} %a : i8 to i32
    %bw = arith.{7} %b : i8 to i32
    %p = arith.muli %aw, %bw : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> {5}
)",
      strideDown, strideAcross, dilation, x, w, sums, isUnsignedLhs ? "extui" : "extsi",
      isUnsignedRhs ? "extui" : "extsi");
  std::string result = "%c";
  if (finishes) {
    const std::string all = "affine_map<(n, h, w, c) -> (n, h, w, c)>", last = "affine_map<(n, h, w, c) -> (c)>";
    text += "  %r = linalg.generic {indexing_maps = [" + all + ", " + last + ", " + last + ", " + last + ", " + all +
            ", " + all + "], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\"]}\n" +
            "      ins(%c, %zeros, %biases, %scales, %before : " + sums + ", " + perChannel + ", " + perChannel + ", " +
            scales + ", " + bytes + ") outs(" + target + " : " + plain + ") {\n" +
            filled("  ^bb0(%a: i32, %zero: i32, %bias: i32, %scale: f32, %residual: i8, %o: {0}):\n", resultElement()) +
            epilogue() + filled("    linalg.yield %r : {0}\n  } -> {1}\n", resultElement(), plain);
    result = "%r";
  }
  if (halo) {
    text +=
        "  %i = tensor.insert_slice " + result + " into %region" + slice + " : " + plain + " into " + storage + "\n";
    result = "%i";
  }
  return text + "  plan.yield " + result + " : " + storage + "\n}\n";
}

class CpuDepthwise : public test::Differential {
protected:
  /// Checks each instruction set, and all instructions of this machine: the sets lack those of dot products.
  void checkBytes(const DepthwiseText &depthwise) {
    checkOnAll(depthwise.text());
    check(depthwise.text());
  }
};

/// Whole blocks of each instruction set, and every rest of one.
TEST_F(CpuDepthwise, EveryCountOfChannels) {
  for (int64_t channels : {2, 5, 8, 16, 31, 40, 65, 96})
    checkBytes({4, 5, channels});
}

TEST_F(CpuDepthwise, StridesAndDilations) {
  for (auto [down, across, dilation] : {std::tuple(2, 2, 1), std::tuple(1, 2, 1), std::tuple(2, 1, 1),
                                        std::tuple(3, 3, 1), std::tuple(1, 1, 2), std::tuple(2, 2, 2)}) {
    DepthwiseText depthwise{5, 5, 40};
    depthwise.strideDown = down;
    depthwise.strideAcross = across;
    depthwise.dilation = dilation;
    checkBytes(depthwise);
  }
}

TEST_F(CpuDepthwise, WindowsOfEveryKind) {
  for (auto [high, wide, stride] :
       {std::tuple(1, 1, 1), std::tuple(1, 5, 1), std::tuple(5, 1, 1), std::tuple(2, 2, 1), std::tuple(5, 5, 1),
        std::tuple(5, 5, 2), std::tuple(4, 3, 1), std::tuple(7, 7, 1), std::tuple(9, 3, 2)}) {
    DepthwiseText depthwise{5, 5, 20, high, wide};
    depthwise.strideDown = depthwise.strideAcross = stride;
    checkBytes(depthwise);
  }
}

/// Operands of models: signed if their zero point is signed, and weights without a sign.
TEST_F(CpuDepthwise, EverySign) {
  for (bool isUnsignedLhs : {false, true})
    for (bool isUnsignedRhs : {false, true})
      for (After after : {After::Nothing, After::Requantize, After::AddBytes, After::Wrap, After::Scale}) {
        DepthwiseText depthwise{3, 4, after == After::Requantize ? 28 : 20};
        depthwise.isUnsignedLhs = isUnsignedLhs;
        depthwise.isUnsignedRhs = isUnsignedRhs;
        depthwise.after = after;
        checkBytes(depthwise);
      }
}

/// Images cut into shares along each of their axes, with a border of the zero point around what is written.
TEST_F(CpuDepthwise, CutsAndBorders) {
  for (unsigned cut : {0, 1, 2, 3})
    for (auto [height, channels] : {std::pair(5, 48), std::pair(23, 13)}) {
      DepthwiseText depthwise{height, 6, channels};
      depthwise.batch = 2;
      depthwise.cut = cut;
      depthwise.halo = height == 5 ? 1 : 2;
      checkBytes(depthwise);
    }
}

/// A window as wide as the image, whose taps are one after another, and images of one row or one pixel.
TEST_F(CpuDepthwise, SmallImages) {
  checkBytes({4, 1, 20});
  checkBytes({1, 8, 20});
  checkBytes({1, 1, 70});
  checkBytes({1, 1, 40, 7, 7});
  checkBytes({2, 2, 640});
}

} // namespace
