// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that an importer knows: handlers by (operator, since version).
//
// An operator's meaning changes with the version of its operator set. A handler is registered with the first version it
// is right for, and is used until a later one takes over.

#ifndef NACRE_COMPILER_IMPORT_IMPORTREGISTRY_H
#define NACRE_COMPILER_IMPORT_IMPORTREGISTRY_H

#include "compiler/import/OperandBinder.h"
#include "compiler/import/Signature.h"

#include "llvm/ADT/StringMap.h"
#include <functional>
#include <optional>

namespace nacre::importer {

/// Reads the node and sets its results, or reports an error.
using Handler = std::function<void(OperandBinder &)>;

class ImportRegistry {
public:
  /// `versionWord` is how messages call the version of an operator set; those after `newestVersion` may have changed
  /// what the handlers mean.
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

  /// What of `op` no handler takes, in a few words for the list of operators; one text an operator, which must outlive
  /// the registry.
  void setLimit(llvm::StringRef op, llvm::StringRef limit);
  llvm::StringRef getLimit(llvm::StringRef op) const { return limits.lookup(op); }

  /// The handler of `op` in an operator set of `version`, or null; the newest one where the model does not say (0).
  const Entry *find(llvm::StringRef op, int64_t version) const;

  /// The first version in which `op` is known, if it is at all.
  std::optional<int64_t> getFirstVersion(llvm::StringRef op) const;

  /// All operators with their handlers by version.
  const llvm::StringMap<llvm::SmallVector<Entry, 2>> &getEntries() const { return entries; }

private:
  llvm::StringRef versionWord;
  int64_t newestVersion;
  llvm::StringMap<llvm::SmallVector<Entry, 2>> entries; // each sorted by version
  llvm::StringMap<llvm::StringRef> limits;
};

/// Checks the operands of `node` against the signature of its operator and runs the handler; the results, or failure
/// after an error. `node` must live as long as the call.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> runHandler(const ImportRegistry::Entry &entry, Node &node,
                                                           NnBuilder nn);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_IMPORTREGISTRY_H
