// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of operators that add up products: matrix products, attention, convolutions, recurrent layers. Few of their
// numbers are special: one infinity makes a row of a product NaN or infinite.

#include "test/meaning/Node.h"

#include <cmath>

namespace nacre::meaning {
namespace {

Values factors(Draw &draw) { return draw.oneIn(4) ? Values{-2, 2, 40} : Values{-2, 2, 0}; }

/// Integers go to the ends of their types, where sums wrap.
Values valuesOf(Draw &draw, llvm::StringRef element) {
  return element[0] == 'f' || element[0] == 'b' ? factors(draw) : Values{-100, 100, 8, true};
}

/// Two element types that may be multiplied, and added up.
std::pair<std::string, std::string> pairOf(Draw &draw) {
  if (draw.oneIn(3))
    return {draw.word({"i8", "ui8", "i16", "ui16"}), draw.word({"i8", "ui8", "i16", "ui16"})};
  const std::string element = draw.oneIn(5) ? draw.integers() : draw.floats();
  return {element, element};
}

void drawMatMul(Draw &draw) {
  const auto [left, right] = pairOf(draw);
  const int64_t m = draw.dim(), n = draw.dim(), k = draw.dim();
  Shape batch;
  for (int64_t left = draw.of<int64_t>({0, 0, 0, 1, 2}); left > 0; --left)
    batch.push_back(draw.between(1, 4));
  Shape lhs = draw.broadcastTo(batch), rhs = draw.broadcastTo(batch);
  lhs.append({m, k});
  rhs.append({k, n});
  const std::string a = draw.operand(left, lhs, valuesOf(draw, left)),
                    b = draw.operand(right, rhs, valuesOf(draw, right), 2);
  draw.node.text = "nn.matmul " + a + ", " + b + " : " + draw.typeOf(a) + ", " + draw.typeOf(b);
  draw.node.bounds = {{1, 0, double(k) + 2}};
}

void drawAttention(Draw &draw) {
  const std::string element = draw.floats();
  const int64_t m = draw.between(1, 9), n = draw.between(1, 20), d = draw.of<int64_t>({1, 4, 8, 16, 17}),
                e = draw.of<int64_t>({1, 3, 8, 32});
  const Shape batch = draw.oneIn(2) ? Shape{} : Shape{draw.between(1, 4)};
  auto with = [&](int64_t rows, int64_t columns) {
    Shape shape = batch;
    shape.append({rows, columns});
    return shape;
  };
  const std::string q = draw.operand(element, with(m, d), {-1, 1, 0}, 0),
                    k = draw.operand(element, with(d, n), {-1, 1, 0}, 0);
  const std::string v = draw.operand(element, with(n, e), {-2, 2, 0}, 0);
  std::string mask, types = draw.typeOf(q) + ", " + draw.typeOf(k) + ", " + draw.typeOf(v);
  if (draw.oneIn(2)) {
    mask = draw.operand(element, draw.oneIn(2) ? with(m, n) : Shape{n}, {-2, 2, 0}, 0);
    types += ", " + draw.typeOf(mask);
    mask = " mask " + mask;
  }
  std::string others, attributes;
  auto addOther = [&](const std::string &name, const std::string &value) {
    others += " " + name + " " + value;
    types += ", " + draw.typeOf(value);
  };
  if (draw.oneIn(4))
    addOther("sink", draw.operand(element, draw.oneIn(2) ? with(1, 1) : Shape{1}, {-2, 2, 0}, 0));
  if (draw.oneIn(2)) {
    if (draw.oneIn(2))
      addOther("offset", draw.operand("i32", draw.oneIn(2) ? with(1, 1) : Shape{}, {0, double(n)}, 0));
    // Without a bound before it, the first key is seen by all queries.
    attributes += "behind = " + std::to_string(draw.between(0, 3)) + " : i64, ";
    if (draw.oneIn(2))
      attributes += "before = " + std::to_string(draw.between(0, n)) + " : i64, hides_rows, ";
  }
  if (draw.oneIn(4))
    attributes += "softcap = 2.0 : f64, ";
  draw.node.text = "nn.attention " + q + ", " + k + ", " + v + mask + others + " {" + attributes +
                   "scale = " + draw.word({"0.25", "1.0", "-0.5"}) + "} : " + types;
  draw.node.bounds = {{2, double(2 * (d + n) + 32), 0, false}};
}

struct Window {
  int64_t rank = 1, channels = 1, outputs = 1, groups = 1;
  Shape spatial, kernel, strides, dilations, pads;
};

Window window(Draw &draw) {
  Window w;
  w.rank = draw.of<int64_t>({1, 2, 2, 2, 3});
  w.groups = draw.of<int64_t>({1, 1, 1, 2, 3, 8});
  w.channels = w.groups * draw.of<int64_t>({1, 1, 2, 3, 4, 8});
  w.outputs = w.groups * draw.of<int64_t>({1, 1, 2, 3, 5, 8});
  const bool isSquare = draw.oneIn(3); // as Winograd's method has them
  for (int64_t i = 0; i < w.rank; ++i) {
    w.kernel.push_back(isSquare ? 3 : draw.between(1, 4));
    w.strides.push_back(isSquare ? 1 : draw.of<int64_t>({1, 1, 2, 3}));
    w.dilations.push_back(isSquare ? 1 : draw.of<int64_t>({1, 1, 1, 2}));
    w.spatial.push_back(draw.between(1, w.rank == 3 ? 6 : 14));
  }
  for (int64_t i = 0; i < 2 * w.rank; ++i)
    w.pads.push_back(draw.of<int64_t>({0, 0, 1, 2}));
  return w;
}

Shape with(int64_t first, llvm::ArrayRef<int64_t> inner, int64_t last) {
  Shape shape = {first};
  shape.append(inner.begin(), inner.end());
  shape.push_back(last);
  return shape;
}

Shape filterOf(const Window &w) {
  Shape shape(w.kernel);
  shape.append({w.channels / w.groups, w.outputs});
  return shape;
}

std::string attributesOf(const Window &w) {
  return "strides = " + arrayText(w.strides) + ", pads = " + arrayText(w.pads) +
         ", dilations = " + arrayText(w.dilations) + ", groups = " + std::to_string(w.groups);
}

void drawConv(Draw &draw) {
  const Window w = window(draw);
  const auto [left, right] = pairOf(draw);
  const std::string x =
      draw.operand(left, with(draw.between(draw.oneIn(20) ? 0 : 1, 2), w.spatial, w.channels), valuesOf(draw, left));
  const std::string filter = draw.operand(right, filterOf(w), valuesOf(draw, right), 2);
  const bool isFloat = left[0] == 'f' || left[0] == 'b';
  draw.node.text = "nn.conv " + x + ", " + filter + " {" + attributesOf(w) +
                   (isFloat || draw.oneIn(2) ? "" : ", pad_value = 3 : i64") + "} : " + draw.typeOf(x) + ", " +
                   draw.typeOf(filter);
  const int64_t depth = product(w.kernel) * w.channels / w.groups;
  draw.node.bounds = {{1, 0, 2 + double(depth)}};
}

/// Draws finite numbers: kernels multiply elements outside the filter by zeros, which turn an infinity into NaN.
void drawConvTranspose(Draw &draw) {
  Window w = window(draw);
  for (int64_t &pad : w.pads)
    pad = draw.of<int64_t>({0, 0, 1, -1});
  const std::string element = draw.floats();
  const std::string x = draw.operand(element, with(draw.between(1, 2), w.spatial, w.channels), {-2, 2, 0});
  const std::string filter = draw.operand(element, filterOf(w), {-2, 2, 0}, 2);
  draw.node.text = "nn.conv_transpose " + x + ", " + filter + " {" + attributesOf(w) + "} : " + draw.typeOf(x) + ", " +
                   draw.typeOf(filter);
  const int64_t depth = product(w.kernel) * w.channels / w.groups;
  draw.node.bounds = {{1, 0, 2 + double(depth)}};
}

void drawFilterGradient(Draw &draw) {
  Window w = window(draw);
  for (int64_t i = 0; i < w.rank; ++i)
    w.spatial[i] = std::max(w.spatial[i], (w.kernel[i] - 1) * w.dilations[i] + 1);
  Shape positions;
  for (int64_t i = 0; i < w.rank; ++i)
    positions.push_back((w.spatial[i] - (w.kernel[i] - 1) * w.dilations[i] - 1) / w.strides[i] + 1);
  const std::string element = draw.floats();
  const int64_t images = draw.between(1, 3);
  const std::string x = draw.operand(element, with(images, w.spatial, w.channels), factors(draw));
  const std::string dy = draw.operand(element, with(images, positions, w.outputs), factors(draw));
  auto half = [](int64_t size) -> int64_t { return size % 2 == 0 ? 2 : 1; };
  const std::string parts =
      draw.between(0, 1) ? ", parts = " + arrayText({half(images), half(positions.front())}) : std::string();
  draw.node.text = "nn.filter_gradient " + x + ", " + dy + " {kernel = " + arrayText(w.kernel) +
                   ", strides = " + arrayText(w.strides) + ", dilations = " + arrayText(w.dilations) + parts +
                   "} : " + draw.typeOf(x) + ", " + draw.typeOf(dy);
  draw.node.bounds = {{1, 0, 2 + double(images * product(positions))}};
}

void drawRecurrent(Draw &draw) {
  const std::string kind = draw.word({"lstm", "gru", "rnn"}), element = draw.word({"f32", "f32", "f64", "f16"});
  const int64_t gates = kind == "lstm" ? 4 : kind == "gru" ? 3 : 1;
  const int64_t t = draw.between(1, 6), b = draw.between(1, 3), i = draw.between(1, 5), h = draw.between(1, 5);
  const Values small{-1, 1, 0};
  const std::string x = draw.operand(element, {t, b, i}, small);
  const std::string w = draw.operand(element, {i, gates * h}, small, 2),
                    r = draw.operand(element, {h, gates * h}, small, 2);
  std::string options;
  auto option = [&](const char *name, const std::string &optionElement, const Shape &shape, const Values &values) {
    if (draw.oneIn(2))
      return;
    const std::string operand = draw.operand(optionElement, shape, values, 2);
    options += std::string(" ") + name + "(" + operand + " : " + draw.typeOf(operand) + ")";
  };
  option("bias", element, {2, gates * h}, small);
  option("lengths", draw.word({"i32", "i64"}), {b}, {0, double(t), 0});
  option("initial_h", element, {b, h}, small);
  if (kind == "lstm") {
    option("initial_c", element, {b, h}, small);
    option("peepholes", element, {3, h}, small);
  }
  std::string activations;
  for (int64_t left = kind == "lstm" ? 3 : kind == "gru" ? 2 : 1; left > 0; --left)
    activations += (activations.empty() ? "" : ", ") +
                   ("#nn<unary_kind " +
                    (element == "f16" ? draw.word({"sigmoid", "tanh"}) : draw.word({"sigmoid", "tanh", "relu"}))) +
                   ">";
  draw.node.text = "nn.recurrent " + kind + " " + x + ", " + w + ", " + r + options + " {activations = [" +
                   activations + "]" + draw.word({"", ", reverse"}) + draw.word({"", ", clip = 1.5"}) +
                   (kind == "gru"    ? draw.word({"", ", linear_before_reset"})
                    : kind == "lstm" ? draw.word({"", "", ", input_forget"})
                                     : "") +
                   "} : " + draw.typeOf(x) + ", " + draw.typeOf(w) + ", " + draw.typeOf(r);
  const Bound bound{64, 512, 0, false, element == "f16"}, unspecified{0, HUGE_VAL};
  draw.node.bounds = {bound, bound, kind == "lstm" ? bound : unspecified};
}

constexpr Operator operators[] = {
    {"nn.matmul", drawMatMul, 5},
    {"nn.attention", drawAttention, 1},
    {"nn.conv", drawConv, 4},
    {"nn.conv_transpose", drawConvTranspose, 2},
    {"nn.filter_gradient", drawFilterGradient, 2},
    {"nn.recurrent", drawRecurrent, 1},
};

} // namespace

const llvm::ArrayRef<Operator> contractionOperators = operators;

} // namespace nacre::meaning
