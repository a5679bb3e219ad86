// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/CHeader.h"
#include "codegen/package/ElementTypes.h"

#include "dialects/nn/codes/Quantization.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre::package {

/// Returns `text` with the characters replaced that may not be in a C comment.
static std::string inComment(StringRef text) {
  std::string result;
  for (char c : text)
    result += isPrint(c) && c != '*' && c != '/' ? c : '_';
  return result;
}

static void describe(raw_ostream &os, const nn::Quantization &quantization) {
  if (quantization.isPerAxis())
    os << ", a scale and zero point for each index of axis " << quantization.axis;
  else
    os << format(", scale %.9g, zero point %d", double(quantization.scales.front()), int(quantization.zeros.front()));
}

static void describe(raw_ostream &os, plan::StorageOp storage, StringRef what) {
  mlir::RankedTensorType type = storage.getTypeOfModel();
  const ElementType *element = findElementType(type.getElementType());
  assert(element && "the tables are made first, and refuse the module");
  os << " *   " << what << ' ' << *storage.getIndex() << "  \"" << inComment(storage.getName().value_or("")) << "\"  "
     << element->inC;
  ArrayRef<int64_t> counts = storage.getCounts().value_or(ArrayRef<int64_t>());
  auto printShape = [&](ArrayRef<int64_t> shape) {
    os << '[';
    interleave(
        enumerate(shape), os,
        [&](auto dim) {
          os << (dim.index() < counts.size() && counts[dim.index()] >= 0 ? "up to " : "") << dim.value();
        },
        "][");
    os << ']';
  };
  printShape(cast<mlir::ShapedType>(storage.getResult().getType()).getShape());
  if (*element->meaning) {
    os << ", " << element->meaning;
    printShape(type.getShape());
  }
  if (auto note = storage->getAttrOfType<mlir::DictionaryAttr>(nn::quantizationAttr))
    describe(os, nn::readQuantization(note));
  os << "\n";
}

std::string modelHeader(mlir::ModuleOp module, StringRef modelName, StringRef symbol) {
  std::string text;
  raw_string_ostream os(text);
  std::string guard = StringRef(symbol).upper() + "_H";
  os << "/* Written by nacre-compile. How to run a model: nacre/runtime.h. */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include \"nacre/runtime.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n/**\n * The model " << inComment(modelName) << ".\n";
  for (auto entry : module.getOps<plan::EntryOp>()) {
    os << " *\n * Entry \"" << inComment(entry.getSymName()) << "\":\n";
    for (auto [role, what] : {std::pair(plan::Role::Input, "input"), std::pair(plan::Role::Output, "output"),
                              std::pair(plan::Role::State, "state")}) {
      SmallVector<plan::StorageOp> storages;
      for (auto storage : entry.getBody().front().getOps<plan::StorageOp>())
        if (storage.getRole() == role)
          storages.push_back(storage);
      sort(storages, [](plan::StorageOp a, plan::StorageOp b) { return *a.getIndex() < *b.getIndex(); });
      for (plan::StorageOp storage : storages)
        describe(os, storage, what);
    }
  }
  os << " */\nextern const nacre_model " << symbol << ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard
     << " */\n";
  return text;
}

} // namespace nacre::package
