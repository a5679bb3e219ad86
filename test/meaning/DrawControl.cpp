// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes with regions: a few operators in each. Rows of stacks after the last iteration are unspecified, so they are no
// results.

#include "test/meaning/Node.h"

namespace nacre::meaning {
namespace {

/// A step that keeps numbers bounded, and moves them.
std::string step(Draw &draw, const std::string &type, const std::string &to, const std::string &a,
                 const std::string &b) {
  const std::string kind = draw.word({"add", "sub", "max", "min"});
  return "%half" + to.substr(1) + " = nn.binary " + kind + " " + a + ", " + b + " : " + type + ", " + type + "\n" + to +
         " = nn.unary " + draw.word({"tanh", "sigmoid", "abs"}) + " %half" + to.substr(1) + " : " + type + "\n";
}

std::string bounded(Draw &draw, const Shape &shape) {
  return draw.operand("f32", shape, {-2, 2, draw.oneIn(3) ? 12U : 0U});
}

void drawIf(Draw &draw) {
  const Shape shape = draw.shape(0, 3);
  const std::string type = typeText(shape, "f32"), a = bounded(draw, shape), b = bounded(draw, shape);
  const std::string condition = draw.operand("i1", draw.oneIn(2) ? Shape{} : Shape{1}, {-0.9, 0.9, 0}, 6);
  draw.node.text = "nn.if " + condition + " : " + draw.typeOf(condition) + " -> (" + type + ") {\n" +
                   step(draw, type, "%t", a, b) + "nn.yield %t : " + type + "\n} else {\n" +
                   (draw.oneIn(2) ? "nn.yield " + a : step(draw, type, "%e", b, a) + "nn.yield %e") + " : " + type +
                   "\n}";
  draw.node.bounds = {{8, 8, 0, false}};
}

void drawFor(Draw &draw) {
  const Shape shape = draw.shape(0, 2);
  const int64_t trips = draw.between(0, 6);
  const std::string type = typeText(shape, "f32"), initial = bounded(draw, shape);
  Shape rows = {trips};
  rows.append(shape);
  const std::string scanned = bounded(draw, rows), stack = typeText(rows, "f32");
  const bool counts = draw.oneIn(3);
  std::string count;
  if (counts) {
    count = draw.operand("i64", {}, {0, double(trips), 0}, 0);
    count = " count(" + count + " : tensor<i64>)";
  }
  draw.node.text = "nn.for " + std::to_string(trips) + count + " carried(" + initial + " : " + type + ") scanned(" +
                   scanned + " : " + stack + ")" + (!counts && draw.oneIn(3) ? " reverse" : "") + " -> (" + type +
                   (counts ? "" : ", " + stack) + ") {\n^bb0(%iteration: tensor<i64>, %h: " + type + ", %x: " + type +
                   "):\n" + step(draw, type, "%n", "%h", "%x") + "nn.yield %n : " + type +
                   (counts ? "" : " stacked(%n : " + type + ")") + "\n}";
  draw.node.bounds = {{64, 64, 0, false}};
}

/// Draws a loop that runs as long as a counter is below a limit, or within a bound.
void drawWhile(Draw &draw) {
  const Shape shape = draw.shape(0, 2);
  const std::string type = typeText(shape, "f32"), initial = bounded(draw, shape);
  const std::string limit = draw.operand("i64", {}, {-1, 7, 0}, 4);
  const std::string bound = draw.oneIn(2) ? " bound " + std::to_string(draw.between(0, 8)) : "";
  draw.node.text = "nn.while" + bound + " carried(" + initial + " : " + type + ") -> (" + type +
                   ") {\n^bb0(%iteration: tensor<i64>, %h: " + type + "):\n%less = nn.binary less %iteration, " +
                   limit + " : tensor<i64>, tensor<i64>\nnn.condition %less : tensor<i1>\n} do {\n" +
                   "^bb0(%iteration: tensor<i64>, %h: " + type + "):\n" + step(draw, type, "%n", "%h", initial) +
                   "nn.yield %n : " + type + "\n}";
  draw.node.bounds = {{64, 64, 0, false}};
}

/// Draws gradients of smooth functions; test/unit/compiler/train compares gradients with differences.
void drawGradient(Draw &draw) {
  const Shape shape = draw.shape(0, 3);
  const std::string type = typeText(shape, "f32"), a = draw.operand("f32", shape, {0.25, 2, 0}),
                    b = draw.operand("f32", shape, {0.5, 2, 0});
  draw.node.text = "nn.gradient of(" + a + ", " + b + " : " + type + ", " + type + ") -> (" + type + ", " + type +
                   ") {\n^bb0(%a: " + type + ", %b: " + type + "):\n%f = nn.unary " +
                   draw.word({"exp", "log", "sqrt", "sigmoid", "tanh", "erf", "sin", "cos", "atan", "sinh", "cosh",
                              "asinh", "softplus", "gelu"}) +
                   " %a : " + type + "\n%g = nn.binary " + draw.word({"add", "sub", "mul", "div", "pow", "pow"}) + " " +
                   draw.word({"%f, %b", "%a, %b", "%b, %a"}) + " : " + type + ", " + type +
                   "\n%y = nn.binary mul %f, %g : " + type + ", " + type + "\nnn.yield %y : " + type + "\n}";
  draw.node.bounds = {{32, 128, 0, false}};
}

constexpr Operator operators[] = {
    {"nn.if", drawIf, 1}, {"nn.for", drawFor, 1}, {"nn.while", drawWhile, 1}, {"nn.gradient", drawGradient, 2}};

} // namespace

const llvm::ArrayRef<Operator> controlOperators = operators;

} // namespace nacre::meaning
