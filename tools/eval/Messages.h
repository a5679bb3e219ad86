// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the compiler's messages about a model, with the names of the nodes that they concern.

#ifndef NACRE_TOOLS_EVAL_MESSAGES_H
#define NACRE_TOOLS_EVAL_MESSAGES_H

#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre::tools {

/// Prints errors and warnings, but not remarks, as nacre-compile does.
inline void printMessage(llvm::StringRef model, mlir::Diagnostic &message) {
  if (message.getSeverity() == mlir::DiagnosticSeverity::Remark)
    return;
  llvm::errs() << model << ":";
  if (auto node = llvm::dyn_cast<mlir::NameLoc>(message.getLocation()))
    llvm::errs() << '"' << toPrintable(node.getName()) << "\":";
  llvm::errs() << (message.getSeverity() == mlir::DiagnosticSeverity::Error ? " error: " : " warning: ")
               << toPrintable(message.str()) << "\n";
}

} // namespace nacre::tools

#endif // NACRE_TOOLS_EVAL_MESSAGES_H
