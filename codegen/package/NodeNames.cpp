// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/NodeNames.h"

#include "dialects/PrintableText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nacre::package {

/// Appends the names in `location` to `names`, without duplicates and in order.
static void collectNames(mlir::Location location, SmallVectorImpl<StringRef> &names) {
  if (auto named = dyn_cast<mlir::NameLoc>(location)) {
    if (!is_contained(names, named.getName().getValue()))
      names.push_back(named.getName().getValue());
  } else if (auto fused = dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      collectNames(part, names);
  } else if (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    collectNames(call.getCallee(), names);
  }
}

std::string nodeNames(mlir::Location location) {
  SmallVector<StringRef> names;
  collectNames(location, names);
  return toPrintable(join(names, ", "));
}

std::vector<std::string> listNodes(mlir::Location location) {
  SmallVector<StringRef> names;
  collectNames(location, names);
  std::vector<std::string> printable;
  for (StringRef name : names)
    printable.push_back(toPrintable(name));
  return printable;
}

} // namespace nacre::package
