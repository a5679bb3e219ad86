// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/meaning/Node.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace nacre::meaning {

// SplitMix64: the same numbers wherever it runs, unlike the standard library's distributions.
uint64_t Draw::below(uint64_t n) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return n ? z % n : z;
}

int64_t Draw::dim(bool mayBeEmpty) {
  if (mayBeEmpty && oneIn(40))
    return 0;
  return oneIn(12) ? of<int64_t>({15, 16, 17, 31, 33, 64, 67}) : of<int64_t>({1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9});
}

Shape Draw::shape(size_t fewest, size_t most) {
  Shape result(between(int64_t(fewest), int64_t(most)));
  for (int64_t &each : result)
    each = dim();
  while (product(result) > 5000)
    *llvm::max_element(result) = of<int64_t>({1, 2, 3});
  return result;
}

Shape Draw::broadcastTo(ArrayRef<int64_t> result) {
  Shape own(result.drop_front(oneIn(3) ? below(result.size() + 1) : 0));
  for (int64_t &each : own)
    if (oneIn(4))
      each = 1;
  return own;
}

std::string Draw::stored() {
  if (!oneIn(3))
    return anything();
  return word({"i2", "i4", "ui2", "ui4", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN"});
}

double Draw::number(const Values &values) {
  const double unit = double(below(0) >> 11) / double(uint64_t(1) << 53);
  const double value = values.low + unit * (values.high - values.low);
  return values.step ? std::round(value / values.step) * values.step : value;
}

evaluate::Cell Draw::cell(Type type, const Values &values) {
  evaluate::Cell result;
  const bool isSpecial = values.specials && oneIn(values.specials);
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    const double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
    const double smallest = llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
    double value = number(values);
    if (isSpecial)
      value = of({std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, -0.0, 0.0, -0.0, 1.0, -1.0});
    if (isSpecial && values.extremes && oneIn(2)) {
      value =
          of({largest, smallest, smallest / 2, std::sqrt(largest), 0.5, 2.5, 88.75, 127.5, 1e9, 0x1p31, 0x1p63, 17.0});
      if (oneIn(2))
        value = -value;
    }
    result.number = evaluate::roundTo(type, value);
    return result;
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  int64_t value = std::llround(number(values));
  if (isSpecial)
    value = of<int64_t>({0, 1, -1, 2});
  if (isSpecial && values.extremes) {
    const auto top = int64_t(uint64_t(1) << (width - 1)); // the least signed number, or half of the unsigned ones
    value = of<int64_t>({top, top - 1, top + 1, -1, -2, int64_t(width) - 1, width, int64_t(below(0))});
  }
  result.integer = evaluate::wrapTo(type, value);
  return result;
}

std::string Draw::operand(StringRef element, ArrayRef<int64_t> shape, const Values &values, unsigned constants) {
  const Type type = parseType(element, context);
  evaluate::Tensor tensor(RankedTensorType::get(shape, type));
  const bool isSplat = oneIn(6);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.write()[i] = isSplat && i > 0 ? tensor[0] : cell(type, values);
  node.operands.push_back({tensor, constants && oneIn(constants)});
  return "%" + std::to_string(node.operands.size() - 1);
}

std::string Draw::typeOf(StringRef operand) const {
  unsigned index = 0;
  operand.drop_front().getAsInteger(10, index);
  std::string text;
  llvm::raw_string_ostream(text) << node.operands[index].value.getType();
  return text;
}

std::string Draw::elementOf(StringRef operand) const {
  const std::string type = typeOf(operand);
  return type.substr(type.find_last_of("x<") + 1, type.size() - type.find_last_of("x<") - 2);
}

std::string typeText(ArrayRef<int64_t> shape, StringRef element) {
  std::string text = "tensor<";
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + element.str() + ">";
}

std::string listText(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::string arrayText(ArrayRef<int64_t> values) {
  return values.empty() ? "array<i64>" : "array<i64: " + listText(values) + ">";
}

OwningOpRef<ModuleOp> parse(const Node &node, MLIRContext *context) {
  std::string text = "func.func @main(";
  llvm::raw_string_ostream stream(text);
  for (auto [i, operand] : llvm::enumerate(node.operands))
    stream << (i ? ", %" : "%") << i << ": " << operand.value.getType();
  stream << ") {\n" << node.text << "\nreturn\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  if (!module)
    return module;
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation *end = function.getBody().front().getTerminator();
  end->setOperands(end->getPrevNode()->getResults());
  function.setType(FunctionType::get(context, function.getArgumentTypes(), end->getOperandTypes()));
  return module;
}

int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t dim : shape)
    result *= dim;
  return result;
}

} // namespace nacre::meaning
