// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/TensorRows.h"
#include "codegen/package/ElementTypes.h"
#include "codegen/package/NodeNames.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/Limits.h"
#include "dialects/nn/codes/Quantization.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace nacre::package {

uint32_t elementType(mlir::Type type) {
  const ElementType *known = findElementType(type);
  assert(known && "checkElementTypes() has refused the module");
  return known->number;
}

Error checkElementTypes(mlir::ModuleOp module) {
  std::string fault;
  auto check = [&](StringRef name, mlir::Type type) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    if (fault.empty() && !findElementType(element))
      raw_string_ostream(fault) << "'" << name << "' must have an element type of the model format, but is " << element;
  };
  for (auto entry : module.getOps<plan::EntryOp>())
    entry.walk([&](mlir::Operation *op) {
      if (auto storage = dyn_cast<plan::StorageOp>(op))
        check(storage.getName().value_or("a temporary"), storage.getTypeOfModel());
      else if (isa<plan::LaunchOp, plan::ForOp, plan::IfOp, plan::ConditionOp>(op))
        for (mlir::Type type : op->getOperandTypes())
          check(nodeNames(op->getLoc()), type);
    });
  return fault.empty() ? Error::success() : createStringError(fault);
}

nacre_tensor TensorRows::describe(plan::StorageOp storage) {
  mlir::RankedTensorType type = storage.getTypeOfModel();
  nacre_tensor row{};
  row.name = strings.add(storage.getName().value_or(""));
  row.element_type = elementType(type.getElementType());
  row.rank = type.getRank();
  row.first_dim = dims.size();
  append_range(dims, type.getShape());
  row.bytes = storedBytes(cast<mlir::ShapedType>(storage.getResult().getType()));
  row.scale = 1;
  row.first_bound = NACRE_NO_BOUNDS;
  row.first_count = NACRE_NO_COUNTS;
  return row;
}

nacre_tensor TensorRows::describeInput(plan::StorageOp storage) {
  nacre_tensor row = describe(storage);
  if (auto labels = storage->getAttrOfType<mlir::DenseI64ArrayAttr>(plan::kLabels)) {
    row.first_count = dims.size();
    append_range(dims, labels.asArrayRef());
  }
  noteQuantization(storage, row);
  return row;
}

nacre_tensor TensorRows::describeOutput(plan::StorageOp storage, int64_t firstCount) {
  nacre_tensor row = describe(storage);
  if (std::optional<ArrayRef<int64_t>> counts = storage.getCounts()) {
    row.first_count = dims.size();
    for (int64_t count : *counts)
      dims.push_back(count < 0 ? -1 : firstCount + count);
  }
  noteQuantization(storage, row);
  return row;
}

nacre_tensor TensorRows::describeCount(plan::StorageOp storage) {
  nacre_tensor row = describe(storage);
  if (auto limit = storage->getAttrOfType<mlir::ArrayAttr>(nn::limitAttr)) {
    row.first_bound = dims.size();
    dims.push_back(nn::readLimit(limit).most);
  }
  return row;
}

void TensorRows::noteQuantization(plan::StorageOp storage, nacre_tensor &row) {
  auto note = storage->getAttrOfType<mlir::DictionaryAttr>(nn::quantizationAttr);
  if (!note)
    return;
  const nn::Quantization quantization = nn::readQuantization(note);
  row.scale = quantization.scales.front();
  row.zero_point = quantization.zeros.front();
  if (!quantization.isPerAxis())
    return;
  row.scale = NAN;
  row.zero_point = int32_t(dims.size());
  dims.push_back(quantization.axis);
  for (auto [scale, zero] : zip_equal(quantization.scales, quantization.zeros))
    dims.push_back(bit_cast<int64_t>(nacre_channel_info{scale, zero}));
}

} // namespace nacre::package
