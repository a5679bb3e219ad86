// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that an importer supports: handlers by operator and first version.
//
// The meaning of an operator can change in each version of its operator set. A handler is registered with the first
// version for which it is correct, and is used until a handler of a later version replaces it.

#ifndef NACRE_COMPILER_IMPORT_BINDING_IMPORTREGISTRY_H
#define NACRE_COMPILER_IMPORT_BINDING_IMPORTREGISTRY_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/binding/Signature.h"

#include "llvm/ADT/StringMap.h"
#include <functional>
#include <optional>

namespace nacre::importer {

/// Function that reads a node and sets its results, or reports an error.
using Handler = std::function<void(OperandBinder &)>;

class ImportRegistry {
public:
  /// Creates a registry. Messages call the version of its operator set `versionWord`. Versions after `newestVersion`
  /// may define operators differently.
  explicit ImportRegistry(llvm::StringRef versionWord = "version", int64_t newestVersion = INT64_MAX)
      : versionWord(versionWord), newestVersion(newestVersion) {}

  llvm::StringRef getVersionWord() const { return versionWord; }
  int64_t getNewestVersion() const { return newestVersion; }

  struct Entry {
    int64_t since;
    Signature signature;
    Handler handler;
  };

  void add(llvm::StringRef op, int64_t since, Signature signature, Handler handler);

  /// Sets the text that names the unsupported features of `op` in the list of operators. It may be set once per
  /// operator, and must outlive the registry.
  void setLimit(llvm::StringRef op, llvm::StringRef limit);
  llvm::StringRef getLimit(llvm::StringRef op) const { return limits.lookup(op); }

  /// Returns the handler of `op` in an operator set of `version`, or null. A version of 0 means the newest one.
  const Entry *find(llvm::StringRef op, int64_t version) const;

  /// Returns the first supported version of `op`, if any.
  std::optional<int64_t> getFirstVersion(llvm::StringRef op) const;

  /// Returns all operators with their handlers, sorted by version.
  const llvm::StringMap<llvm::SmallVector<Entry, 2>> &getEntries() const { return entries; }

private:
  llvm::StringRef versionWord;
  int64_t newestVersion;
  llvm::StringMap<llvm::SmallVector<Entry, 2>> entries; // each sorted by version
  llvm::StringMap<llvm::StringRef> limits;
};

/// Checks the operands of `node` against the operator's signature and runs the handler. Returns the results, or failure
/// after an error. `node` must outlive the call.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> runHandler(const ImportRegistry::Entry &entry, Node &node,
                                                           NnBuilder nn);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BINDING_IMPORTREGISTRY_H
