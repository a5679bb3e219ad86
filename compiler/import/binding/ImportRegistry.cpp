// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that an importer supports: handlers by operator and first version.

#include "compiler/import/binding/ImportRegistry.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::importer {

void ImportRegistry::add(llvm::StringRef op, int64_t since, Signature signature, Handler handler) {
  llvm::SmallVector<Entry, 2> &versions = entries[op];
  auto later = llvm::find_if(versions, [&](const Entry &entry) { return entry.since >= since; });
  assert((later == versions.end() || later->since != since) && "an operator has one handler per version");
  versions.insert(later, Entry{since, std::move(signature), std::move(handler)});
}

void ImportRegistry::setLimit(llvm::StringRef op, llvm::StringRef limit) {
  assert(entries.contains(op) && "only what has a handler has limits");
  limits[op] = limit;
}

const ImportRegistry::Entry *ImportRegistry::find(llvm::StringRef op, int64_t version) const {
  auto versions = entries.find(op);
  if (versions == entries.end())
    return nullptr;
  for (const Entry &entry : llvm::reverse(versions->second))
    if (entry.since <= version || version == 0)
      return &entry;
  return nullptr;
}

std::optional<int64_t> ImportRegistry::getFirstVersion(llvm::StringRef op) const {
  auto versions = entries.find(op);
  if (versions == entries.end())
    return std::nullopt;
  return versions->second.front().since;
}

mlir::FailureOr<llvm::SmallVector<mlir::Value>> runHandler(const ImportRegistry::Entry &entry, Node &node,
                                                           NnBuilder nn) {
  // Operands at the end are also omitted if their name is empty.
  while (!node.operands.empty() && !node.operands.back())
    node.operands.pop_back();
  if (failed(entry.signature.check(node.op, node.operands, nn.getLoc())))
    return mlir::failure();
  node.signature = &entry.signature;
  OperandBinder binder(node, nn);
  entry.handler(binder);
  return binder.finish();
}

} // namespace nacre::importer
