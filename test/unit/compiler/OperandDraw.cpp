// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/compiler/OperandDraw.h"

#include <map>

using namespace nacre;
using namespace nacre::importer;

using Dims = std::vector<int64_t>;

Dims nacre::drawShapeBeside(Draw &draw, const Dims &x) {
  size_t rank = x.size();
  switch (draw.below(11)) {
  case 0:
  case 1:
    return x;
  case 2:
    return {};
  case 3:
    return {draw.of<int64_t>({0, 1, 2})};
  case 4:
  case 5:
    return rank > 1 ? Dims{x[1]} : Dims{int64_t(rank)};
  case 6:
    return {int64_t(rank)};
  case 7: { // a matrix to multiply with
    Dims shape(x);
    if (rank > 1)
      std::swap(shape[rank - 1], shape[rank - 2]);
    return shape;
  }
  case 8: { // a filter
    Dims shape(x);
    for (int64_t &dim : shape)
      dim = draw.of<int64_t>({1, 1, 2, 3});
    if (rank > 1)
      shape[1] = x[1];
    return shape;
  }
  case 9: // broadcasts
    return rank ? Dims(x.begin() + draw.below(rank), x.end()) : x;
  default:
    return draw.shape();
  }
}

static DrawnOperand::Kind drawKind(Draw &draw, const OperandRule &rule, bool isFirst, bool hasRows) {
  const bool takesArrays = rule.holds == Holds::Sequence || rule.holds == Holds::Rows;
  if (takesArrays ? !draw.oneIn(8) : draw.oneIn(rule.holds == Holds::AnyValue ? 3 : 40))
    return DrawnOperand::Array;
  if (hasRows && draw.oneIn(16))
    return DrawnOperand::Open;
  // What says a shape or an axis must be constant; other operands may be.
  const bool saysNumbers = !isFirst && rule.holds == Holds::Indices;
  return (saysNumbers ? !draw.oneIn(8) : draw.oneIn(4)) ? DrawnOperand::Constant : DrawnOperand::Input;
}

std::vector<DrawnOperand> nacre::drawOperands(Draw &draw, llvm::ArrayRef<OperandRule> rules, AskedShape asked) {
  std::vector<DrawnOperand> operands;
  if (rules.empty())
    return operands;
  const Dims first = draw.shape();
  // Of groups, and of the operands of one kind that are in none.
  std::map<int, int32_t> types;
  auto keyOf = [](const OperandRule &rule) { return rule.group ? int(rule.group) : 256 + int(rule.holds); };
  const size_t count = rules.size() + (rules.back().isRepeated() ? draw.below(3) : 0);
  for (size_t index = 0; index < count; ++index) {
    const OperandRule &rule = rules[std::min(index, rules.size() - 1)];
    if (rule.isOptional() && draw.oneIn(2)) {
      operands.push_back({DrawnOperand::LeftOut});
      continue;
    }
    std::optional<Dims> wanted = draw.oneIn(12) ? std::nullopt : asked(index, first);
    DrawnOperand operand;
    operand.shape = wanted ? *wanted : index ? drawShapeBeside(draw, first) : first;
    // A group that has no type yet takes the first operand's, where it may.
    auto known = types.find(keyOf(rule));
    if (known == types.end() && rule.holds == rules.front().holds)
      known = types.find(keyOf(rules.front()));
    const bool joins = index && known != types.end() && !draw.oneIn(12);
    operand.type = joins ? known->second : draw.type(rule.holds);
    types.try_emplace(keyOf(rule), operand.type);
    operand.kind = drawKind(draw, rule, index == 0, !operand.shape.empty());
    operands.push_back(std::move(operand));
  }
  return operands;
}

bool nacre::holdsReals(int32_t type) {
  using T = onnx::TensorProto;
  return type == T::FLOAT || type == T::FLOAT16 || type == T::BFLOAT16 || type == T::DOUBLE;
}

int64_t nacre::drawInteger(Draw &draw, int32_t type) {
  using T = onnx::TensorProto;
  if (type == T::INT64 || type == T::INT32)
    return draw.integer();
  return draw.of<int64_t>({0, 1, 1, type == T::BOOL ? 1 : 2, type == T::BOOL ? 0 : 3});
}
