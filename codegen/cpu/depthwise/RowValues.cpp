// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/depthwise/RowValues.h"

#include "dialects/StoredBytes.h"

using namespace mlir;

namespace nacre::codegen::cpu {

RowValues::RowValues(KernelFunction &function, VectorBuilder &build)
    : function(function), build(build), bytesBefore(llvm::alignTo(function.scratchBytes, kLineBytes)) {}

void RowValues::clear() {
  kept.clear();
  bytes = 0;
  first = {};
}

unsigned RowValues::keep(Value vector, bool inRegister) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (inRegister || !type) {
    kept.push_back({vector, 0, type});
    return kept.size() - 1;
  }
  if (!first)
    first = build.pointer(function.scratch, build.index(bytesBefore));
  build.storeAt(vector, build.add(first, bytes));
  kept.push_back({Value(), bytes, type});
  bytes = llvm::alignTo(bytes + type.getNumElements() * bytesOfElement(type.getElementType()), kLineBytes / 4);
  function.scratchBytes = std::max<uint64_t>(function.scratchBytes, bytesBefore + bytes);
  return kept.size() - 1;
}

Value RowValues::get(unsigned number, Value place) {
  const Kept &wanted = kept[number];
  return wanted.value ? wanted.value : build.loadAt(build.add(place, wanted.distance), wanted.type);
}

Value RowValues::makePlace() { return first ? build.hidden(first) : Value(); }

} // namespace nacre::codegen::cpu
