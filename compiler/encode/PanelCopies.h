// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the memory of a matrix in panels, and kernels that copy into it, out of it, and that go over it element by element.
// Why:   what reads or writes a state, and knows no panels, needs it in the usual order.
// How:   panels are an array [panels][rows][width] like any other, so the kernels are plain nests. Each is made once.

#ifndef NACRE_COMPILER_ENCODE_PANELCOPIES_H
#define NACRE_COMPILER_ENCODE_PANELCOPIES_H

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::encode {

/// A tensor [rows.., columns] in panels, of one group and one part.
struct Panels {
  Panels(mlir::MemRefType type, plan::EncodingAttr encoding);

  mlir::Type elementType;
  int64_t rows, columns, width, count; ///< Of columns in a panel; of panels.

  /// [count * rows, width]
  mlir::MemRefType getMemory() const { return mlir::MemRefType::get({count * rows, width}, elementType); }
  int64_t getColumnsOf(int64_t panel) const { return std::min(width, columns - panel * width); }
};

class PanelCopies {
public:
  PanelCopies(mlir::ModuleOp module, mlir::SymbolTable &symbols) : module(module), symbols(symbols) {}

  /// Copies `plain`, [rows.., columns], into the panels, columns that there are none of as zeros.
  void intoPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value plain, const Panels &panels,
                  mlir::Value packed);
  void outOfPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packed, const Panels &panels,
                   mlir::Value plain);
  /// An elementwise kernel, over the panels' memory.
  mlir::FlatSymbolRefAttr overPanels(plan::KernelOp kernel, const Panels &panels);

  /// A kernel that packs a plain array, reading one in panels.
  mlir::FlatSymbolRefAttr fromPanels(plan::KernelOp kernel, plan::EncodingAttr encoding);

  /// Kernels that no launch has any more.
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
