// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/ModuleCopies.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

using namespace mlir;

namespace nacre {

static void forEachConstant(ModuleOp module,
                            llvm::function_ref<void(Operation *, StringAttr, DenseResourceElementsAttr)> visit) {
  module->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto bytes = dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
        visit(op, attribute.getName(), bytes);
  });
}

/// The bytes of a blob, which live as long as the last of their owners.
static AsmResourceBlob viewOf(const std::shared_ptr<AsmResourceBlob> &owner) {
  return AsmResourceBlob(
      owner->getData(), owner->getDataAlignment(), [owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
}

OwningOpRef<ModuleOp> copyModule(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  llvm::DenseMap<DialectResourceBlobManager::BlobEntry *, DenseResourceElementsHandle> copies;
  forEachConstant(*copy, [&](Operation *op, StringAttr name, DenseResourceElementsAttr bytes) {
    DialectResourceBlobManager::BlobEntry *entry = bytes.getRawHandle().getResource();
    if (!entry->getBlob())
      return;
    auto known = copies.find(entry);
    if (known == copies.end()) {
      auto owner = std::make_shared<AsmResourceBlob>(std::move(*entry->getBlob()));
      entry->setBlob(viewOf(owner));
      auto copied = DenseResourceElementsAttr::get(bytes.getType(), entry->getKey(), viewOf(owner));
      known = copies.try_emplace(entry, copied.getRawHandle()).first;
    }
    op->setAttr(name, DenseResourceElementsAttr::get(bytes.getType(), known->second));
  });
  return copy;
}

void discardModule(OwningOpRef<ModuleOp> module) {
  if (module)
    forEachConstant(*module, [](Operation *, StringAttr, DenseResourceElementsAttr bytes) {
      bytes.getRawHandle().getResource()->setBlob(AsmResourceBlob());
    });
}

} // namespace nacre
