// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of contractions as text: matmuls and convolutions of every kind, with operators that may follow them.
// Why:   the engines are tested on the same kernels; a test gives sizes and special properties, not MLIR.
// How:   1. a product over named loops, whose operands and epilogue are maps; 2. matmuls, 3. convolutions as such.

#ifndef NACRE_TEST_UNIT_CODEGEN_KERNELTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_KERNELTEXTS_H

#include "codegen/form/DepthGroups.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>
#include <string>
#include <vector>

namespace nacre::codegen {

using Sizes = std::vector<int64_t>;

inline std::string tensorText(llvm::ArrayRef<int64_t> shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

inline std::string listText(llvm::ArrayRef<int64_t> values) {
  return "[" + llvm::join(llvm::map_range(values, [](int64_t value) { return std::to_string(value); }), ", ") + "]";
}

//===----------------------------------------------------------------------===//
// 1. Products
//===----------------------------------------------------------------------===//

/// Operators that follow the sums, and the place of the result.
struct Ending {
  std::vector<std::vector<unsigned>> added; ///< Operands, each by the axes of the result that it has.
  bool rectified = false;
  Sizes halo;  ///< Zeros before and after each axis of the result; empty: none.
  Sizes steps; ///< Distances of the result's elements in its storage; empty: all are neighbours.
};

/// The result of one product: sums over some of the `loops` of the product of two operands at their maps.
struct ProductText {
  std::vector<std::string> loops; ///< The result's loops come first.
  Sizes result;                   ///< Sizes in the order of its axes,
  std::string resultMap;          ///< which are affine expressions.
  Sizes lhs, rhs;
  std::string lhsMap, rhsMap;
  Sizes shape; ///< Shape of an operand that is never read, if the maps do not give all sizes.
  std::string shapeMap;
  unsigned parallel = 0; ///< Loops.

  std::string element = "f32";     ///< Element type of Lhs and the result.
  std::string rhsElement = {};     ///< Empty: the same.
  std::string accumulator = "f32"; ///< The other choice is f64.
  unsigned cut = 0;                ///< Axis of the result.
  int64_t grain = 1;
  std::string encoding = {}; ///< Encoding of Rhs; empty: unchanged.
  int64_t winograd = 0;      ///< The tile of a convolution that the CPU so computes; 0: directly.
  int64_t inset = 0;         ///< Lhs is a slice so far inside of a storage, but along its last axis.
  Ending ending = {};

  std::string text() const;

private:
  std::string mapOf(const std::string &results) const {
    return "affine_map<(" + llvm::join(loops, ", ") + ") -> (" + results + ")>";
  }
  std::string product() const;
  std::string epilogue(const std::string &target) const;
  bool finishes() const { return !ending.added.empty() || ending.rectified || element != accumulator; }
  std::string sums() const { return tensorText(result, accumulator); }
  std::string plain() const { return tensorText(result, element); }
  std::string storage() const {
    Sizes sizes = result;
    for (size_t axis = 0; axis < ending.steps.size(); ++axis)
      sizes[axis] *= ending.steps[axis];
    for (size_t axis = 0; axis < ending.halo.size(); ++axis)
      sizes[axis] += 2 * ending.halo[axis];
    return tensorText(sizes, element);
  }
  Sizes addedShape(size_t number) const {
    Sizes sizes;
    for (unsigned axis : ending.added[number])
      sizes.push_back(result[axis]);
    return sizes;
  }
  std::string slice() const {
    const Sizes zeros(result.size(), 0), ones(result.size(), 1);
    return listText(ending.halo.empty() ? zeros : ending.halo) + " " + listText(result) + " " +
           listText(ending.steps.empty() ? ones : ending.steps);
  }
  bool isPart() const { return !ending.halo.empty() || !ending.steps.empty(); }
};

/// A value as it is stored to one of the accumulator's type.
inline std::string widened(const std::string &name, const std::string &from, const std::string &to,
                           const std::string &as) {
  return from == to ? "" : "    " + as + " = arith.extf " + name + " : " + from + " to " + to + "\n";
}

inline std::string ProductText::product() const {
  const std::string weight = rhsElement.empty() ? element : rhsElement, &wide = accumulator;
  const std::string x = tensorText(lhs, element), w = tensorText(rhs, weight);
  const bool direct = !finishes() && !isPart();
  std::string text;
  if (!direct)
    text += "  %e = tensor.empty() : " + sums() + "\n";
  text +=
      llvm::formatv("  %f = linalg.fill ins(%zero : {0}) outs({1} : {2}) -> {2}\n", wide, direct ? "%y" : "%e", sums());
  if (!shape.empty())
    text += "  %shape = tensor.empty() : " + tensorText(shape, wide) + "\n";
  text += "  %c = linalg.generic {indexing_maps = [" + mapOf(lhsMap) + ", " + mapOf(rhsMap) + ", " +
          (shape.empty() ? "" : mapOf(shapeMap) + ", ") + mapOf(resultMap) + "], iterator_types = [";
  for (size_t loop = 0; loop < loops.size(); ++loop)
    text += std::string(loop ? ", " : "") + (loop < parallel ? "\"parallel\"" : "\"reduction\"");
  text += "]}\n      ins(" + std::string(inset ? "%in" : "%x") + ", %w" + (shape.empty() ? "" : ", %shape") + " : " +
          x + ", " + w + (shape.empty() ? "" : ", " + tensorText(shape, wide)) + ") outs(%f : " + sums() + ") {\n";
  text += "  ^bb0(%a: " + element + ", %b: " + weight + ", " + (shape.empty() ? "" : "%unread: " + wide + ", ") +
          "%o: " + wide + "):\n";
  text += widened("%a", element, wide, "%aw") + widened("%b", weight, wide, "%bw");
  text +=
      llvm::formatv("    %p = arith.mulf {0}, {1} : {2}\n    %s = arith.addf %o, %p : {2}\n    linalg.yield %s : {2}\n",
                    element == wide ? "%a" : "%aw", weight == wide ? "%b" : "%bw", wide);
  return text + "  } -> " + sums() + "\n";
}

/// Returns the text from the sums, %c, to the result, %r, in `target`.
inline std::string ProductText::epilogue(const std::string &target) const {
  std::vector<std::string> axes;
  for (size_t axis = 0; axis < result.size(); ++axis)
    axes.push_back("d" + std::to_string(axis));
  auto map = [&](const std::string &kept) { return "affine_map<(" + llvm::join(axes, ", ") + ") -> (" + kept + ")>"; };
  const std::string all = map(llvm::join(axes, ", "));
  std::string maps = all, operands = "%c", types = sums(), arguments = "%a: " + accumulator, body, value = "%a";
  for (auto [number, kept] : llvm::enumerate(ending.added)) {
    const std::string name = "b" + std::to_string(number), at = "%g" + std::to_string(number);
    maps += ", " + map(llvm::join(llvm::map_range(kept, [&](unsigned axis) { return axes[axis]; }), ", "));
    operands += ", %" + name;
    types += ", " + tensorText(addedShape(number), element);
    arguments += ", " + at + ": " + element;
    body += widened(at, element, accumulator, at + "w");
    const std::string sum = "%s" + std::to_string(number);
    body += "    " + sum + " = arith.addf " + value + ", " + at + (element == accumulator ? "" : "w") + " : " +
            accumulator + "\n";
    value = sum;
  }
  if (ending.rectified) {
    body += "    %m = arith.maximumf " + value + ", %zero : " + accumulator + "\n";
    value = "%m";
  }
  if (element != accumulator) {
    body += "    %narrow = arith.truncf " + value + " : " + accumulator + " to " + element + "\n";
    value = "%narrow";
  }
  std::string iterators;
  for (size_t axis = 0; axis < result.size(); ++axis)
    iterators += std::string(axis ? ", " : "") + "\"parallel\"";
  return "  %r = linalg.generic {indexing_maps = [" + maps + ", " + all + "], iterator_types = [" + iterators +
         "]}\n      ins(" + operands + " : " + types + ") outs(" + target + " : " + plain() + ") {\n  ^bb0(" +
         arguments + ", %o: " + element + "):\n" + body + "    linalg.yield " + value + " : " + element + "\n  } -> " +
         plain() + "\n";
}

/// More of a kernel's attributes: dialects/plan/Notes.h.
inline std::string winogradText(int64_t tile) {
  if (tile == 0)
    return "";
  return llvm::formatv(", plan.winograd = {{tile = {0} : i64, direct_cycles = 2 : i64, cycles = 1 : i64}", tile);
}

inline std::string ProductText::text() const {
  Sizes outer = lhs, start(lhs.size(), inset);
  if (inset)
    for (size_t axis = 0; axis + 1 < lhs.size(); ++axis)
      outer[axis] += 2 * inset;
  start.back() = 0;
  const std::string x = tensorText(outer, element), w = tensorText(rhs, rhsElement.empty() ? element : rhsElement);
  std::string text = "\nplan.kernel @kernel contraction (%x: " + x + ", %w: " + w, encodings = "unit, " + encoding;
  for (size_t number = 0; number < ending.added.size(); ++number) {
    text += ", %b" + std::to_string(number) + ": " + tensorText(addedShape(number), element);
    encodings += ", unit";
  }
  text += llvm::formatv(") into (%y: {0}) cut {1} : {2} by {3}", storage(), cut, result[cut], grain);
  if (!encoding.empty())
    text += " attributes {encodings = [" + encodings + "]" + winogradText(winograd) + "}";
  text += " {\n  %zero = arith.constant 0.0 : " + accumulator + "\n";
  if (inset)
    text += "  %in = tensor.extract_slice %x" + listText(start) + " " + listText(lhs) + " " +
            listText(Sizes(lhs.size(), 1)) + " : " + x + " to " + tensorText(lhs, element) + "\n";
  const bool halo = !ending.halo.empty();
  if (halo) {
    if (element != accumulator)
      text += "  %nothing = arith.constant 0.0 : " + element + "\n";
    text += llvm::formatv("  %region = linalg.fill ins({0} : {1}) outs(%y : {2}) -> {2}\n",
                          element == accumulator ? "%zero" : "%nothing", element, storage());
  }
  const std::string around = halo ? "%region" : "%y";
  if (isPart())
    text += "  %t = tensor.extract_slice " + around + slice() + " : " + storage() + " to " + plain() + "\n";
  text += product();
  const bool finished = finishes() || isPart();
  if (finished)
    text += epilogue(isPart() ? "%t" : "%y");
  if (isPart())
    text += "  %i = tensor.insert_slice %r into " + around + slice() + " : " + plain() + " into " + storage() + "\n";
  return text + "  plan.yield " + (isPart() ? "%i" : finished ? "%r" : "%c") + " : " + storage() + "\n}\n";
}

inline std::string panelText(int64_t width, int64_t groups = 1, const DepthGroups &depth = {}) {
  if (width == 0)
    return "";
  return llvm::formatv("#plan.encoding<panel, width = {0}{1}{2}>", width,
                       groups > 1 ? ", groups = " + std::to_string(groups) : "",
                       depth.k > 1 ? llvm::formatv(" k = {0}, run = {1}", depth.k, depth.run).str() : "");
}

//===----------------------------------------------------------------------===//
// 2. Matmuls
//===----------------------------------------------------------------------===//

struct MatmulText {
  int64_t m, n, k;
  int64_t batch = 0; ///< 0: no batch axis.
  int64_t panel = 0;
  unsigned cut = 0;           ///< Axis.
  bool transposed = false;    ///< The right operand is (n, k),
  bool lhsTransposed = false; ///< the left one (k, m).
  std::string element = "f32", rhsElement = {}, accumulator = "f32";
  Ending ending = {};
  int64_t inset = 0;
  DepthGroups depth = {}; ///< Groups of steps in a panel.

  ProductText product() const {
    ProductText p;
    p.loops = {"m", "n", "k"};
    p.parallel = 2;
    p.result = {m, n};
    p.resultMap = "m, n";
    p.lhs = lhsTransposed ? Sizes{k, m} : Sizes{m, k};
    p.lhsMap = lhsTransposed ? "k, m" : "m, k";
    p.rhs = transposed ? Sizes{n, k} : Sizes{k, n};
    p.rhsMap = transposed ? "n, k" : "k, n";
    if (batch) {
      p.loops.insert(p.loops.begin(), "b");
      ++p.parallel;
      for (Sizes *sizes : {&p.result, &p.lhs, &p.rhs})
        sizes->insert(sizes->begin(), batch);
      for (std::string *map : {&p.resultMap, &p.lhsMap, &p.rhsMap})
        map->insert(0, "b, ");
    }
    p.element = element;
    p.rhsElement = rhsElement;
    p.accumulator = accumulator;
    p.cut = cut;
    p.encoding = panelText(panel, 1, depth);
    p.ending = ending;
    p.inset = inset;
    return p;
  }
  std::string text() const { return product().text(); }
};

//===----------------------------------------------------------------------===//
// 3. Convolutions
//===----------------------------------------------------------------------===//

/// A convolution of an image of one to three dimensions, channels last, that includes its border.
struct ConvolutionText {
  Sizes image; ///< Size of the result.
  int64_t channels, filters;
  Sizes window = {}; ///< Empty: 3 along each dimension.
  int64_t stride = 1, dilation = 1, batch = 1;
  int64_t groups = 1;     ///< Channels and filters are divided among them.
  bool depthwise = false; ///< A filter of its own for each channel; `filters` are the channels.
  int64_t panel = 0;
  unsigned cut = 1;
  int64_t halo = 0; ///< Around the result's image.
  int64_t step = 1; ///< Distance of the image's elements in its storage.
  int64_t inset = 0;
  int64_t winograd = 0; ///< Tile of a Winograd convolution; requires `panel`.
  int64_t grain = 1;
  std::string element = "f32", rhsElement = {}, accumulator = "f32";
  std::vector<std::vector<unsigned>> added = {};
  bool rectified = false;
  DepthGroups depth = {}; ///< Groups of steps in a panel.

  /// A bias, a residual after it where there is one, and a rectifier.
  ConvolutionText &finished(bool residual = false) {
    const unsigned rank = image.size() + 2;
    added = {{rank - 1}};
    if (residual) {
      std::vector<unsigned> all(rank);
      std::iota(all.begin(), all.end(), 0);
      added.push_back(std::move(all));
    }
    rectified = true;
    return *this;
  }

  ProductText product() const;
  std::string text() const { return product().text(); }
};

inline ProductText ConvolutionText::product() const {
  const Sizes taps = window.empty() ? Sizes(image.size(), 3) : window;
  const bool grouped = groups > 1;
  ProductText p;
  std::vector<std::string> moving, along;
  p.result = {batch};
  p.lhs = {batch};
  for (size_t axis = 0; axis < image.size(); ++axis) {
    moving.push_back("h" + std::to_string(axis));
    along.push_back("i" + std::to_string(axis));
    p.result.push_back(image[axis]);
    p.lhs.push_back((image[axis] - 1) * stride + (taps[axis] - 1) * dilation + 1);
    p.rhs.push_back(taps[axis]);
    p.lhsMap += llvm::formatv(", {0} * {1} + {2} * {3}", moving.back(), stride, along.back(), dilation);
  }
  p.result.push_back(filters);
  p.lhs.push_back(channels);
  if (!depthwise)
    p.rhs.push_back(channels / groups);
  p.rhs.push_back(filters);

  p.loops = {"n"};
  llvm::append_range(p.loops, moving);
  if (grouped)
    p.loops.push_back("g");
  p.loops.push_back("o");
  p.parallel = p.loops.size();
  llvm::append_range(p.loops, along);
  if (!depthwise)
    p.loops.push_back("c");

  const std::string column = grouped ? llvm::formatv("g * {0} + o", filters / groups).str() : "o";
  p.lhsMap = "n" + p.lhsMap + ", " +
             (depthwise ? "o"
              : grouped ? llvm::formatv("g * {0} + c", channels / groups).str()
                        : "c");
  p.rhsMap = llvm::join(along, ", ") + (depthwise ? "" : ", c") + ", " + column;
  p.resultMap = "n, " + llvm::join(moving, ", ") + ", " + column;
  if (grouped) {
    p.shape = {groups, filters / groups};
    p.shapeMap = "g, o";
  }
  p.element = element;
  p.rhsElement = rhsElement;
  p.accumulator = accumulator;
  p.cut = cut;
  p.grain = grain;
  p.encoding = panelText(panel, groups, depth);
  p.winograd = winograd;
  p.inset = inset;
  p.ending = {added, rectified, {}, {}};
  if (step != 1) {
    p.ending.steps = Sizes(p.result.size(), step);
    p.ending.steps.front() = p.ending.steps.back() = 1;
  }
  if (halo) {
    p.ending.halo = Sizes(p.result.size(), halo);
    p.ending.halo.front() = p.ending.halo.back() = 0;
  }
  return p;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_KERNELTEXTS_H
