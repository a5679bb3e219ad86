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

mlir::FailureOr<llvm::SmallVector<mlir::Value>> runHandler(const ImportRegistry::Entry &entry, Node &node, NnBuilder nn,
                                                           int64_t maxConstantBytes) {
  // An optional operand may also be left out by an empty name at the end.
  while (!node.operands.empty() && !node.operands.back())
    node.operands.pop_back();
  size_t count = node.operands.size();
  // Of a list of any length none is optional.
  size_t required = entry.arity.max == unbounded ? std::max(count, entry.arity.min) : entry.arity.min;
  bool hasRequired = count >= required && llvm::all_of(llvm::ArrayRef(node.operands).take_front(required),
                                                       [](mlir::Value operand) { return static_cast<bool>(operand); });
  if (!hasRequired || count > entry.arity.max)
    return nn.error() << "operator '" << node.op << "' must have " << entry.arity.min << " or more operands, but has "
                      << count << " that do not fit its definition";
  OperandBinder binder(node, nn, maxConstantBytes);
  entry.handler(binder);
  return binder.finish();
}

} // namespace nacre::importer
