// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of operators that reduce axes or windows, and those that normalize or run along an axis.

#include "test/meaning/Node.h"

namespace nacre::meaning {
namespace {

/// NaN, infinities and zeros; no number so large that sums depend on their order.
Values summands(Draw &draw) { return draw.oneIn(2) ? Values{-4, 4, 0} : Values{-4, 4, 20}; }

Values valuesOf(Draw &draw, llvm::StringRef element) {
  return element[0] == 'f' || element[0] == 'b' ? summands(draw) : kSpecial;
}

int64_t axisOf(Draw &draw, const Shape &shape) { return int64_t(draw.below(shape.size())); }

void drawReduce(Draw &draw) {
  const std::string kind = draw.word({"sum", "mean", "max", "min", "prod"});
  const bool orders = kind == "max" || kind == "min";
  const Shape shape = draw.shape(0, 4);
  Shape axes;
  int64_t count = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (draw.oneIn(2)) {
      axes.push_back(int64_t(axis));
      count *= shape[axis];
    }
  const std::string element = orders ? draw.anything() : draw.numbers();
  const bool isFloat = element[0] == 'f' || element[0] == 'b';
  const Values near1{0.75, 1.25, 30};
  const Values values = orders || !isFloat ? kSpecial : kind == "prod" ? near1 : summands(draw);
  const std::string x = draw.operand(element, shape, values, 8);
  draw.node.text = "nn.reduce " + kind + " " + x + " {axes = " + arrayText(axes) + draw.word({"", ", keep_dims"}) +
                   "} : " + draw.typeOf(x);
  draw.node.bounds = {{kind == "prod" ? double(count) : 0, 0, orders || kind == "prod" ? 0 : double(count), !orders}};
}

void drawArgReduce(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const std::string x = draw.operand(draw.anything(), shape, draw.oneIn(2) ? kSpecial : Values{-2, 2, 6, false, 1}, 8);
  draw.node.text = "nn.arg_reduce " + draw.word({"max", "min"}) + " " + x +
                   " {axis = " + std::to_string(axisOf(draw, shape)) + draw.word({"", ", keep_dims"}) +
                   draw.word({"", ", select_last"}) + "} : " + draw.typeOf(x);
}

void drawSoftmax(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const bool isLog = draw.oneIn(2);
  const std::string x = draw.operand(draw.floats(), shape, draw.oneIn(2) ? Values{-20, 20, 0} : Values{-9, 9, 20}, 8);
  draw.node.text = "nn.softmax " + x + " {axis = " + std::to_string(axisOf(draw, shape)) + (isLog ? ", log" : "") +
                   "} : " + draw.typeOf(x);
  draw.node.bounds = {{8, isLog ? 40.0 : 1.0}};
}

void drawNormalize(Draw &draw) {
  const Shape shape = draw.shape(1, 4);
  const int64_t first = axisOf(draw, shape);
  Shape axes;
  for (int64_t axis = first; axis < int64_t(shape.size()); ++axis)
    if (axis == first || draw.oneIn(2))
      axes.push_back(axis);
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shape[axis];
  const std::string x = draw.operand(draw.floats(), shape, {-4, 4, draw.oneIn(4) ? 40U : 0U}, 8);
  draw.node.text = "nn.normalize " + x + " {axes = " + arrayText(axes) + ", epsilon = 1.0e-3} : " + draw.typeOf(x);
  // Where all numbers are equal, the rounding of their mean is divided by the root of epsilon.
  draw.node.bounds = {{8, 256 + 64 * double(count), 0, /*isZeroSigned=*/false}};
}

void drawLrn(Draw &draw) {
  const Shape shape = draw.shape(2, 4);
  const std::string x = draw.operand(draw.floats(), shape, {-4, 4, draw.oneIn(4) ? 40U : 0U}, 8);
  draw.node.text = "nn.lrn " + x + " {size = " + std::to_string(draw.between(1, 6)) +
                   ", alpha = " + draw.word({"1.0e-4", "0.5"}) + ", beta = " + draw.word({"0.75", "0.5", "0.3"}) +
                   ", bias = " + draw.word({"1.0", "2.0"}) + "} : " + draw.typeOf(x);
  draw.node.bounds = {{16}};
}

void drawCumulate(Draw &draw) {
  const std::string kind = draw.word({"sum", "prod"});
  const Shape shape = draw.shape(1, 4);
  const int64_t axis = axisOf(draw, shape);
  const std::string element = draw.numbers();
  const bool isFloat = element[0] == 'f' || element[0] == 'b';
  const Values near1{0.75, 1.25, 30};
  const std::string x = draw.operand(element, shape, isFloat && kind == "prod" ? near1 : valuesOf(draw, element), 8);
  draw.node.text = "nn.cumulate " + kind + " " + x + " {axis = " + std::to_string(axis) +
                   draw.word({"", ", exclusive"}) + draw.word({"", ", reverse"}) + "} : " + draw.typeOf(x);
  draw.node.bounds = {{kind == "prod" ? double(shape[axis]) : 0, 0, kind == "prod" ? 0 : double(shape[axis])}};
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

struct Window {
  Shape shape, kernel, strides, pads, dilations, overhang, result;
};

/// An input with windows that may lie in its padding, and hang over.
Window window(Draw &draw) {
  Window w;
  const int64_t rank = draw.of<int64_t>({1, 2, 2, 2, 3});
  Shape high;
  w.shape = {draw.between(1, 2)};
  w.result = w.shape;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t kernel = draw.between(1, rank == 3 ? 3 : 4), stride = draw.between(1, 3),
                  dilation = draw.of<int64_t>({1, 1, 1, 2});
    const int64_t low = draw.between(0, kernel - 1), above = draw.between(0, kernel - 1),
                  overhang = draw.oneIn(4) ? draw.between(0, stride - 1) : 0;
    const int64_t covers = (kernel - 1) * dilation + 1;
    const int64_t dim = std::max(covers - low - above, draw.between(1, rank == 3 ? 6 : 12));
    w.shape.push_back(dim);
    w.kernel.push_back(kernel);
    w.strides.push_back(stride);
    w.dilations.push_back(dilation);
    w.overhang.push_back(overhang);
    w.pads.push_back(low);
    high.push_back(above);
    w.result.push_back((dim + low + above + overhang - covers) / stride + 1);
  }
  w.pads.append(high);
  w.shape.push_back(draw.of<int64_t>({1, 2, 3, 8, 9}));
  w.result.push_back(w.shape.back());
  return w;
}

std::string attributesOf(const Window &w) {
  return "kernel = " + arrayText(w.kernel) + ", strides = " + arrayText(w.strides) + ", pads = " + arrayText(w.pads) +
         ", dilations = " + arrayText(w.dilations) + ", overhang = " + arrayText(w.overhang);
}

void drawPool(Draw &draw) {
  const Window w = window(draw);
  const bool isMax = draw.oneIn(2);
  const std::string x = draw.operand(draw.numbers(), w.shape, isMax ? kSpecial : Values{-4, 4, 20}, 8);
  draw.node.text = std::string("nn.pool ") + (isMax ? "max " : "average ") + x + " {" + attributesOf(w) +
                   (isMax ? "" : draw.word({"", ", count_padding"})) + "} : " + draw.typeOf(x);
  draw.node.bounds = {{isMax ? 0 : 1.0, 0, isMax ? 0 : double(product(w.kernel)), !isMax}};
}

void drawPoolCode(Draw &draw) {
  const Window w = window(draw);
  const std::string x = draw.operand(draw.floats(), w.shape, {-2, 2, 6, true, 1}, 8),
                    maxima = typeText(w.result, draw.elementOf(x));
  draw.node.text = "%maxima = nn.pool max " + x + " {" + attributesOf(w) + "} : " + draw.typeOf(x) + "\nnn.pool_code " +
                   x + ", %maxima {" + attributesOf(w) + "} : " + draw.typeOf(x) + ", " + maxima;
}

/// 255, which -1 becomes, names no cell.
void drawUnpool(Draw &draw) {
  const Window w = window(draw);
  const std::string x = draw.operand(draw.floats(), w.result, summands(draw), 8);
  const std::string code = draw.operand("ui8", w.result, {-1, double(product(w.kernel)) - 1, 0}, 8);
  draw.node.text = "nn.unpool " + x + ", " + code + " {kernel = " + arrayText(w.kernel) +
                   ", strides = " + arrayText(w.strides) + ", dilations = " + arrayText(w.dilations) +
                   "} : " + draw.typeOf(x) + ", " + draw.typeOf(code);
  draw.node.bounds = {{1, 0, double(product(w.kernel))}};
}

constexpr Operator operators[] = {
    {"nn.reduce", drawReduce, 5},   {"nn.arg_reduce", drawArgReduce, 3},
    {"nn.softmax", drawSoftmax, 2}, {"nn.normalize", drawNormalize, 2},
    {"nn.lrn", drawLrn, 1},         {"nn.cumulate", drawCumulate, 2},
    {"nn.pool", drawPool, 3},       {"nn.pool_code", drawPoolCode, 2},
    {"nn.unpool", drawUnpool, 1},
};

} // namespace

const llvm::ArrayRef<Operator> reductionOperators = operators;

} // namespace nacre::meaning
