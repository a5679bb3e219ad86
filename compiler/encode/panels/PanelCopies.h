// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the memory of a matrix in panels, and creates kernels that pack it, unpack it, or map it elementwise.
// Why: launches that do not support panels need a state in row-major order.
// How: panels are a plain array [panels][rows][width], so plain nests can copy them. Each kernel is created only once.

#ifndef NACRE_COMPILER_ENCODE_PANELCOPIES_H
#define NACRE_COMPILER_ENCODE_PANELCOPIES_H

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::encode {

/// Layout of a tensor [rows.., columns] in panels. The encoding has one group and one part.
struct Panels {
  Panels(mlir::MemRefType type, plan::EncodingAttr encoding);

  mlir::Type elementType;
  int64_t rows, columns, width, count; ///< `width`: number of columns of a panel; `count`: number of panels.

  /// Returns the type of the panels' memory, [count * rows, width].
  mlir::MemRefType getMemory() const { return mlir::MemRefType::get({count * rows, width}, elementType); }
  int64_t getColumnsOf(int64_t panel) const { return std::min(width, columns - panel * width); }
};

class PanelCopies {
public:
  PanelCopies(mlir::ModuleOp module, mlir::SymbolTable &symbols) : module(module), symbols(symbols) {}

  /// Copies `plain`, [rows.., columns], into the panels. Fills the missing columns of the last panel with zeros.
  void intoPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value plain, const Panels &panels,
                  mlir::Value packed);
  void outOfPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packed, const Panels &panels,
                   mlir::Value plain);
  /// Returns a copy of an elementwise kernel that processes the panels' memory.
  mlir::FlatSymbolRefAttr overPanels(plan::KernelOp kernel, const Panels &panels);

  /// Returns a copy of a pack kernel whose input is in panels instead of row-major.
  mlir::FlatSymbolRefAttr fromPanels(plan::KernelOp kernel, plan::EncodingAttr encoding);

  /// Erases replaced kernels that no launch uses any more.
  void eraseReplaced();

private:
  void copyAll(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value from, const Panels &panels, mlir::Value to,
               bool packs);
  void copyPanel(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value plain, const Panels &panels,
                 mlir::Value packed, int64_t panel, bool packs);
  mlir::FlatSymbolRefAttr getKernel(const llvm::Twine &name,
                                    llvm::function_ref<plan::KernelOp(mlir::OpBuilder &)> make);

  mlir::ModuleOp module;
  mlir::SymbolTable &symbols;
  llvm::StringMap<plan::KernelOp> made;
  llvm::SetVector<mlir::Operation *> replaced;
};

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELCOPIES_H
