// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that an importer knows: handlers by (operator, since version).

#include "compiler/import/ImportRegistry.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::importer {

void ImportRegistry::add(llvm::StringRef op, int64_t since, Arity arity, Handler handler) {
  llvm::SmallVector<Entry, 2> &versions = entries[op];
  auto later = llvm::find_if(versions, [&](const Entry &entry) { return entry.since >= since; });
  assert((later == versions.end() || later->since != since) && "an operator has one handler per version");
  versions.insert(later, Entry{since, arity, std::move(handler)});
}

const ImportRegistry::Entry *ImportRegistry::find(llvm::StringRef op, int64_t version) const {
  auto versions = entries.find(op);
  if (versions == entries.end())
    return nullptr;
  for (const Entry &entry : llvm::reverse(versions->second))
    if (entry.since <= version)
      return &entry;
  return nullptr;
}

std::optional<int64_t> ImportRegistry::getFirstVersion(llvm::StringRef op) const {
  auto versions = entries.find(op);
  if (versions == entries.end())
    return std::nullopt;
  return versions->second.front().since;
}

} // namespace nacre::importer
