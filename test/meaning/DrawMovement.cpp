// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of operators that move, pick and repeat elements, and those that weigh a few of them.

#include "test/meaning/Node.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace nacre::meaning {
namespace {

std::string moved(Draw &draw) { return draw.oneIn(4) ? draw.stored() : draw.anything(); }

void drawReshape(Draw &draw) {
  const Shape shape = draw.shape(0, 4);
  Shape to;
  int64_t rest = product(shape);
  if (rest == 0)
    to = {draw.dim(), 0, draw.dim()};
  for (int64_t factor : {2, 3, 2, 5, 7, 1})
    if (rest > 0 && rest % factor == 0 && draw.oneIn(2)) {
      to.push_back(factor);
      rest /= factor;
    }
  if (rest > 1 || (rest == 1 && draw.oneIn(2)))
    to.push_back(rest);
  const std::string element = moved(draw), x = draw.operand(element, shape, kSpecial);
  draw.node.text = "nn.reshape " + x + " : " + draw.typeOf(x) + " to " + typeText(to, element);
}

void drawBroadcast(Draw &draw) {
  const Shape shape = draw.shape(0, 4);
  const std::string element = moved(draw), x = draw.operand(element, draw.broadcastTo(shape), kSpecial);
  draw.node.text = "nn.broadcast " + x + " : " + draw.typeOf(x) + " to " + typeText(shape, element);
}

void drawTranspose(Draw &draw) {
  const Shape shape = draw.shape(0, 5);
  Shape axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[draw.below(i)]);
  const std::string x = draw.operand(moved(draw), shape, kSpecial);
  draw.node.text = "nn.transpose " + x + " [" + listText(axes) + "] : " + draw.typeOf(x);
}

void drawConcat(Draw &draw) {
  Shape shape = draw.shape(1, 4);
  const size_t axis = draw.below(shape.size());
  const std::string element = moved(draw);
  std::string names, types;
  for (int64_t left = draw.between(1, 4); left > 0; --left) {
    shape[axis] = draw.dim();
    const std::string x = draw.operand(element, shape, kSpecial);
    names += (names.empty() ? "" : ", ") + x;
    types += (types.empty() ? "" : ", ") + draw.typeOf(x);
  }
  draw.node.text = "nn.concat " + names + " {axis = " + std::to_string(axis) + "} : " + types;
}

void drawInterleave(Draw &draw) {
  const Shape result = draw.shape(1, 3);
  Shape strides;
  for (size_t i = 0; i < result.size(); ++i)
    strides.push_back(draw.of<int64_t>({1, 1, 2, 3}));
  const std::string element = draw.anything();
  std::string names, types;
  for (int64_t number = 0; number < product(strides); ++number) {
    Shape own;
    int64_t rest = number;
    for (size_t axis = result.size(); axis-- > 0; rest /= strides[axis])
      own.insert(own.begin(),
                 std::max<int64_t>(0, result[axis] - rest % strides[axis] + strides[axis] - 1) / strides[axis]);
    const std::string x = draw.operand(element, own, kSpecial);
    names += (names.empty() ? "" : ", ") + x;
    types += (types.empty() ? "" : ", ") + draw.typeOf(x);
  }
  draw.node.text = "nn.interleave " + names + " {strides = " + arrayText(strides) + "} : " + types;
}

void drawSlice(Draw &draw) {
  const Shape shape = draw.shape(0, 4);
  Shape starts, sizes, steps;
  for (int64_t dim : shape) {
    const int64_t step = draw.of<int64_t>({1, 1, 1, 2, 3, -1, -2});
    const int64_t start = dim ? int64_t(draw.below(uint64_t(dim))) : 0;
    const int64_t most = dim == 0 ? 0 : step > 0 ? (dim - start + step - 1) / step : start / -step + 1;
    starts.push_back(start);
    sizes.push_back(draw.oneIn(2) ? most : draw.between(0, most));
    steps.push_back(step);
  }
  const std::string x = draw.operand(moved(draw), shape, kSpecial);
  draw.node.text = "nn.slice " + x + " [" + listText(starts) + "] [" + listText(sizes) + "] [" + listText(steps) +
                   "] : " + draw.typeOf(x);
}

void drawPad(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const std::string mode = draw.word({"constant", "constant", "edge", "reflect", "symmetric", "wrap"});
  Shape low, high;
  for (int64_t dim : shape) {
    const int64_t most = mode == "constant" || mode == "edge" ? 4
                         : mode == "reflect"                  ? std::max<int64_t>(dim - 1, 0)
                                                              : dim;
    for (Shape *amounts : {&low, &high})
      amounts->push_back(draw.oneIn(3) ? std::min(most, draw.between(0, 4)) : draw.oneIn(8) ? -1 : 0);
  }
  const std::string element = mode == "constant" ? draw.anything() : moved(draw);
  const std::string x = draw.operand(element, shape, kSpecial);
  const bool isFloat = element[0] == 'f' || element[0] == 'b';
  const std::string value = isFloat           ? draw.word({"0.0", "-0.0", "1.5"})
                            : element == "i1" ? draw.word({"false", "true"})
                                              : draw.word({"0", "3"});
  draw.node.text = "nn.pad " + mode + " " + x + " [" + listText(low) + "] [" + listText(high) + "] " + value +
                   (element == "i1" ? "" : " : " + element) + " : " + draw.typeOf(x);
}

/// Tables of a resample: one tap that moves elements, or taps with weights.
void drawResample(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const bool moves = draw.oneIn(3);
  Shape axes;
  std::string indices, weights;
  int64_t reads = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t taps = moves ? 1 : draw.between(1, 4), positions = draw.between(1, 9);
    if (!draw.oneIn(2) || shape[axis] == 0 || reads * taps > 64)
      continue;
    reads *= taps;
    axes.push_back(int64_t(axis));
    std::string rows, values;
    for (int64_t position = 0; position < positions; ++position) {
      std::string row, weighted;
      for (int64_t tap = 0; tap < taps; ++tap) {
        row += (tap ? ", " : "") + std::to_string(draw.below(uint64_t(shape[axis])));
        weighted += (tap ? ", " : "") + draw.word({"0.5", "0.25", "1.0", "-0.125", "0.0"});
      }
      rows += (position ? ", [" : "[") + row + "]";
      values += (position ? ", [" : "[") + weighted + "]";
    }
    const std::string size = std::to_string(positions) + "x" + std::to_string(taps);
    indices += (indices.empty() ? "" : ", ") + ("dense<[" + rows + "]> : tensor<" + size + "xi32>");
    weights += (weights.empty() ? "" : ", ") +
               ("dense<" + (moves ? "1.0" : "[" + values + "]") + "> : tensor<" + size + "xf32>");
  }
  const std::string x = draw.operand(moves ? draw.anything() : draw.floats(), shape, {-4, 4, 12});
  draw.node.text = "nn.resample " + x + " {axes = " + arrayText(axes) + ", indices = [" + indices + "], weights = [" +
                   weights + "]} : " + draw.typeOf(x);
  if (!moves)
    draw.node.bounds = {{0, 8.0 * double(reads), 0, false}};
}

/// Positions are multiples of a quarter, so that both engines find the same neighbours.
void drawSample(Draw &draw) {
  const std::string how = draw.word({"nearest", "linear", "linear", "cubic"});
  const int64_t rank = draw.between(1, how == "cubic" ? 2 : 3), rows = draw.between(1, 3);
  Shape shape = {draw.between(1, 3)}, points = {rows};
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(draw.of<int64_t>({1, 2, 3, 5, 8}));
  shape.push_back(draw.of<int64_t>({1, 2, 3, 8, 9}));
  for (int64_t left = draw.between(0, 2); left > 0; --left)
    points.push_back(draw.of<int64_t>({1, 2, 4, 7}));
  points.push_back(rank);
  const bool picks = shape[0] != rows || draw.oneIn(2);
  const std::string element = how == "nearest" ? draw.anything() : draw.floats();
  const std::string x = draw.operand(element, shape, {-4, 4, how == "nearest" ? 8U : 0U});
  const std::string at = draw.operand(draw.word({"f32", "f32", "f64"}), points, {-6, 12, 0, false, 0.25});
  std::string images;
  if (picks) {
    images = draw.operand(draw.word({"i32", "i64"}), {rows}, {-1, double(shape[0]), 8, true});
    images = " images(" + images + " : " + draw.typeOf(images) + ")";
  }
  draw.node.text = "nn.sample " + how + " " + draw.word({"zeros", "border", "reflection"}) + " " + x + ", " + at +
                   images + draw.word({"", " {align_corners}"}) + " : " + draw.typeOf(x) + ", " + draw.typeOf(at);
  draw.node.bounds = {{0, how == "nearest" ? 0 : 64.0}};
}

constexpr Operator operators[] = {
    {"nn.reshape", drawReshape, 2}, {"nn.broadcast", drawBroadcast, 2},   {"nn.transpose", drawTranspose, 2},
    {"nn.concat", drawConcat, 2},   {"nn.interleave", drawInterleave, 2}, {"nn.slice", drawSlice, 2},
    {"nn.pad", drawPad, 3},         {"nn.resample", drawResample, 2},     {"nn.sample", drawSample, 2},
};

} // namespace

const llvm::ArrayRef<Operator> movementOperators = operators;

} // namespace nacre::meaning
