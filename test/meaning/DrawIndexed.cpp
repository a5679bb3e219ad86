// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of operators that read and write where indices say, and of selections. Indices lie within, count from the end,
// and lie far outside.

#include "test/meaning/Node.h"

namespace nacre::meaning {
namespace {

std::string indices(Draw &draw, llvm::ArrayRef<int64_t> shape, int64_t extent) {
  return draw.operand(draw.word({"i32", "i64"}), shape, {double(-extent), double(extent), 10, true});
}

void drawGather(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const size_t axis = draw.below(shape.size());
  const std::string x = draw.operand(draw.stored(), shape, kSpecial);
  const std::string at = indices(draw, draw.shape(0, 2), shape[axis]);
  draw.node.text = "nn.gather " + x + ", " + at + " {axis = " + std::to_string(axis) + "} : " + draw.typeOf(x) + ", " +
                   draw.typeOf(at);
}

/// A batch of axes that both have, coordinates of some more axes, and slices of the other axes.
void drawGatherNd(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const size_t batch = draw.oneIn(2) ? 0 : draw.below(shape.size());
  const auto depth = int64_t(draw.below(shape.size() - batch + 1));
  Shape at(shape.begin(), shape.begin() + batch);
  at.append(draw.shape(0, 2));
  at.push_back(depth);
  const std::string x = draw.operand(draw.anything(), shape, kSpecial), index = indices(draw, at, 5);
  draw.node.text = "nn.gather_nd " + x + ", " + index + " {batch_dims = " + std::to_string(batch) +
                   "} : " + draw.typeOf(x) + ", " + draw.typeOf(index);
}

/// Draws a shape of indices along `axis`, which is within `shape` along all other axes.
Shape shapeOfIndices(Draw &draw, const Shape &shape, size_t axis) {
  Shape at = shape;
  for (size_t i = 0; i < at.size(); ++i)
    at[i] = i == axis ? draw.dim() : draw.oneIn(2) ? at[i] : draw.between(0, at[i]);
  return at;
}

void drawGatherElements(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const size_t axis = draw.below(shape.size());
  const Shape at = shapeOfIndices(draw, shape, axis);
  const std::string x = draw.operand(draw.anything(), shape, kSpecial), index = indices(draw, at, shape[axis]);
  draw.node.text = "nn.gather_elements " + x + ", " + index + " {axis = " + std::to_string(axis) +
                   "} : " + draw.typeOf(x) + ", " + draw.typeOf(index);
}

/// Returns the kind of an update, and values that give exact results.
std::pair<std::string, Values> update(Draw &draw) {
  const std::string kind = draw.word({"set", "add", "mul", "max", "min"});
  const bool adds = kind == "add" || kind == "mul";
  draw.node.bounds = {{kind == "mul" ? 8.0 : 0, 0, kind == "add" ? 8.0 : 0, kind == "set", /*isStoredBetween=*/true}};
  return {kind, adds ? Values{-2, 2, 12} : kSpecial};
}

void drawScatterNd(Draw &draw) {
  const Shape shape = draw.shape(1, 3);
  const auto depth = int64_t(draw.below(shape.size() + 1));
  Shape at = draw.shape(0, 2), updated = at;
  at.push_back(depth);
  updated.append(shape.begin() + depth, shape.end());
  const auto [kind, values] = update(draw);
  const std::string element = kind == "set" ? draw.anything() : draw.numbers();
  const std::string x = draw.operand(element, shape, values), index = indices(draw, at, 4);
  const std::string updates = draw.operand(element, updated, values);
  draw.node.text = "nn.scatter_nd " + kind + " " + x + ", " + index + ", " + updates + " : " + draw.typeOf(x) + ", " +
                   draw.typeOf(index) + ", " + draw.typeOf(updates);
}

void drawScatterElements(Draw &draw) {
  const Shape shape = draw.shape(1, 3);
  const size_t axis = draw.below(shape.size());
  const Shape at = shapeOfIndices(draw, shape, axis);
  const auto [kind, values] = update(draw);
  const std::string element = kind == "set" ? draw.anything() : draw.numbers();
  const std::string x = draw.operand(element, shape, values), index = indices(draw, at, shape[axis]);
  const std::string updates = draw.operand(element, at, values);
  draw.node.text = "nn.scatter_elements " + kind + " " + x + ", " + index + ", " + updates +
                   " {axis = " + std::to_string(axis) + "} : " + draw.typeOf(x) + ", " + draw.typeOf(index) + ", " +
                   draw.typeOf(updates);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// Few different numbers, so that many are equal.
Values equals(Draw &draw) { return draw.oneIn(2) ? kSpecial : Values{-2, 2, 6, false, 1}; }

void drawTopK(Draw &draw) {
  const Shape shape = draw.shape(1, 3);
  const size_t axis = draw.below(shape.size());
  const std::string x = draw.operand(draw.numbers(), shape, equals(draw));
  draw.node.text = "nn.top_k " + x + " {axis = " + std::to_string(axis) +
                   ", k = " + std::to_string(draw.between(0, shape[axis])) + draw.word({"", ", smallest"}) +
                   "} : " + draw.typeOf(x);
}

void drawCompact(Draw &draw) {
  const std::string x = draw.operand("i1", {draw.dim()}, {-1, 1, 0});
  draw.node.text = "nn.compact " + x + " : " + draw.typeOf(x);
}

void drawUnique(Draw &draw) {
  const std::string x = draw.operand(draw.anything(), {draw.dim(), draw.of<int64_t>({1, 1, 2, 3})}, equals(draw));
  draw.node.text = "nn.unique " + x + draw.word({"", " {sorted}"}) + " : " + draw.typeOf(x);
}

/// Corners are multiples of a half and thresholds of an eighth, so that areas and shares of them are exact.
void drawNms(Draw &draw) {
  const int64_t batch = draw.between(1, 2), boxes = draw.between(1, 12), classes = draw.between(1, 3);
  const std::string element = draw.word({"f32", "f32", "f64", "f16"});
  const std::string corners = draw.operand(element, {batch, boxes, 4}, {0, 4, 0, false, 0.5});
  const std::string scores = draw.operand(element, {batch, classes, boxes}, {0, 1, 12, false, 0.125});
  const std::string most = draw.operand("i64", {}, {-1, 8, 6, true});
  const std::string overlap = draw.operand(element, {}, {0, 1, 0, false, 0.125});
  std::string above;
  if (draw.oneIn(2)) {
    above = draw.operand(element, {}, {-0.25, 0.5, 6, false, 0.125});
    above = " above(" + above + " : " + draw.typeOf(above) + ")";
  }
  draw.node.text = "nn.nms " + corners + ", " + scores + ", " + most + ", " + overlap + above +
                   " {limit = " + std::to_string(draw.between(1, boxes)) + draw.word({"", ", centered"}) +
                   "} : " + draw.typeOf(corners) + ", " + draw.typeOf(scores) + ", " + draw.typeOf(most) + ", " +
                   draw.typeOf(overlap);
}

constexpr Operator operators[] = {
    {"nn.gather", drawGather, 3},
    {"nn.gather_nd", drawGatherNd, 2},
    {"nn.gather_elements", drawGatherElements, 2},
    {"nn.scatter_nd", drawScatterNd, 3},
    {"nn.scatter_elements", drawScatterElements, 3},
    {"nn.top_k", drawTopK, 2},
    {"nn.compact", drawCompact, 1},
    {"nn.unique", drawUnique, 2},
    {"nn.nms", drawNms, 1},
};

} // namespace

const llvm::ArrayRef<Operator> indexedOperators = operators;

} // namespace nacre::meaning
