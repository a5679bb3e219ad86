// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/compiler/QuantizedShapes.h"

using namespace nacre;
using namespace nacre::importer;

using Dims = std::vector<int64_t>;

std::optional<Dims> nacre::getQuantizedShape(llvm::StringRef op, const OperandRule &rule, size_t index, const Dims &x) {
  if (op == "QGemm" && index % 3 == 0)
    return std::vector<Dims>{{2, 3}, {3, 4}, {4}}[index / 3];
  if (op == "QLinearConv" && index == 3 && x.size() > 1) {
    Dims filters(x.size(), 1);
    filters[0] = 2;
    filters[1] = x[1];
    return filters;
  }
  if (op == "QLinearConv" && index == 8)
    return Dims{2};
  if (op == "MatMulNBits")
    return std::vector<Dims>{{2, 16}, {3, 1, 8}, {3}, {3}, {16}, {3}}[index];
  if (op == "GatherBlockQuantized")
    return std::vector<Dims>{{3, 16}, {2}, {3, 1}, {3, 1}}[index];
  if (op == "QLinearConcat")
    return index % 3 == 2 ? x : Dims();
  if (rule.getName().ends_with("scale") || rule.getName().ends_with("zero_point"))
    return Dims();
  return std::nullopt;
}

Holds nacre::getQuantizedHolds(llvm::StringRef op, const OperandRule &rule, size_t index) {
  if (op != "QLinearConcat" || index < 2)
    return rule.holds;
  return index % 3 == 0 ? Holds::Floats : Holds::Bytes; // a tensor, its scale, its zero point
}
