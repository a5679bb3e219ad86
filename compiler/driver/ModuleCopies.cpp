// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/ModuleCopies.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

using namespace mlir;

namespace nacre {

/// Returns a blob with the data of `owner`. The data is freed with the last such blob.
static AsmResourceBlob viewOf(const std::shared_ptr<AsmResourceBlob> &owner) {
  return AsmResourceBlob(
      owner->getData(), owner->getDataAlignment(), [owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
}

OwningOpRef<ModuleOp> copyModule(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  llvm::DenseMap<DialectResourceBlobManager::BlobEntry *, DenseResourceElementsHandle> copies;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DenseResourceElementsAttr bytes) -> Attribute {
    DialectResourceBlobManager::BlobEntry *entry = bytes.getRawHandle().getResource();
    if (!entry->getBlob())
      return bytes;
    auto known = copies.find(entry);
    if (known == copies.end()) {
      auto owner = std::make_shared<AsmResourceBlob>(std::move(*entry->getBlob()));
      entry->setBlob(viewOf(owner));
      auto copied = DenseResourceElementsAttr::get(bytes.getType(), entry->getKey(), viewOf(owner));
      known = copies.try_emplace(entry, copied.getRawHandle()).first;
    }
    return DenseResourceElementsAttr::get(bytes.getType(), known->second);
  });
  replacer.recursivelyReplaceElementsIn(*copy, /*replaceAttrs=*/true);
  return copy;
}

void discardModule(OwningOpRef<ModuleOp> module) {
  if (!module)
    return;
  // Constants may be nested in other attributes, such as the initial value of a variable.
  module->walk([](Operation *op) {
    op->getAttrDictionary().walk(
        [](DenseResourceElementsAttr bytes) { bytes.getRawHandle().getResource()->setBlob(AsmResourceBlob()); });
  });
}

} // namespace nacre
