// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/PanelUpdates.h"

#include "codegen/form/PlainContraction.h"
#include "compiler/encode/panels/PanelSource.h"
#include "compiler/encode/panels/TrainedStates.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacre::codegen;

namespace nacre::encode {

//===----------------------------------------------------------------------===//
// 1. Arguments
//===----------------------------------------------------------------------===//

SmallVector<unsigned> findUpdated(plan::LaunchOp launch, plan::KernelOp kernel) {
  const unsigned inputs = launch.getInputs().size();
  auto isState = [&](unsigned number) { return bool(findTrained(launch->getOperand(number))); };
  if (kernel.getKind() != plan::KernelKind::Contraction ||
      llvm::none_of(llvm::seq<unsigned>(inputs, launch->getNumOperands()), isState))
    return {};
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (failed(plain) || plain->isOfIntegers())
    return {};
  // A constant weight or a state has its own panel width, which this kernel cannot change.
  const unsigned right = plain->operands[Contraction::Rhs].argument;
  if (right >= inputs || isState(right) || plan::rootOf(launch->getOperand(right)).getDefiningOp<plan::UseOp>())
    return {};
  SmallVector<unsigned> updated;
  for (unsigned number = Contraction::Result; number < plain->operands.size(); ++number) {
    const unsigned argument = plain->operands[number].argument;
    if (argument >= launch->getNumOperands() || !isState(argument))
      continue;
    if (isWalkedByRows(*plain, kernel, number))
      updated.push_back(argument);
    else if (argument >= inputs)
      return {};
  }
  llvm::sort(updated);
  updated.erase(llvm::unique(updated), updated.end());
  return updated;
}

//===----------------------------------------------------------------------===//
// 2. Encodings
//===----------------------------------------------------------------------===//

namespace {

/// Changes the panel width of operands that pack launches write.
class Repacker {
public:
  explicit Repacker(SymbolTable &symbols) : symbols(symbols) {}

  void repack(plan::LaunchOp reader, unsigned input, plan::EncodingAttr encoding) {
    auto view = reader.getInputs()[input].getDefiningOp<plan::ViewOp>();
    plan::LaunchOp packer = view ? findWriter(view) : plan::LaunchOp();
    assert(packer && "a launch packs what is in panels and is no weight");
    reader.getInputsMutable()[input].set(panelsOf(packer, view, encoding));
    eraseIfUnread(view.getSource().getDefiningOp<plan::StorageOp>());
  }

  /// Erases pack kernels that no launch uses any more.
  void eraseReplaced() {
    llvm::DenseSet<Operation *> replaced;
    for (const auto &kernel : kernels)
      replaced.insert(kernel.first.first);
    symbols.getOp()->walk([&](plan::LaunchOp launch) { replaced.erase(symbols.lookup(launch.getKernel())); });
    for (Operation *kernel : replaced)
      symbols.erase(kernel);
  }

private:
  static plan::LaunchOp findWriter(plan::ViewOp view) {
    for (Operation *user : view->getUsers())
      if (auto launch = dyn_cast<plan::LaunchOp>(user);
          launch && llvm::is_contained(launch.getOutputs(), view.getResult()))
        return launch;
    return {};
  }

  Value panelsOf(plan::LaunchOp packer, plan::ViewOp view, plan::EncodingAttr encoding) {
    auto array = cast<MemRefType>(view.getType());
    const int64_t columns = array.getShape().back(), width = encoding.getWidth();
    auto memory = MemRefType::get({int64_t(llvm::divideCeil(columns, width)), array.getNumElements() / columns, width},
                                  array.getElementType());
    OpBuilder builder(view.getSource().getDefiningOp());
    Value storage = plan::StorageOp::create(builder, view.getLoc(), memory, plan::Role::Temporary, StringAttr(),
                                            IntegerAttr(), TypeAttr(), IntegerAttr(), DenseI64ArrayAttr());
    builder.setInsertionPoint(view);
    Value panels = plan::ViewOp::create(builder, view.getLoc(), array, storage, Value(), 0, 0);
    builder.setInsertionPointAfter(packer);
    auto again = cast<plan::LaunchOp>(builder.clone(*packer));
    again.getOutputsMutable().assign(panels);
    again.setKernelAttr(FlatSymbolRefAttr::get(kernelLike(packer, encoding).getSymNameAttr()));
    return panels;
  }

  plan::KernelOp kernelLike(plan::LaunchOp packer, plan::EncodingAttr encoding) {
    auto kernel = symbols.lookup<plan::KernelOp>(packer.getKernel());
    plan::KernelOp &like = kernels[{kernel, encoding}];
    if (!like) {
      OpBuilder builder(kernel);
      like = cast<plan::KernelOp>(builder.clone(*kernel));
      like->remove();
      SmallVector<Attribute> encodings(like.getEncodingsAttr().getValue());
      encodings.back() = encoding;
      like.setEncodingsAttr(builder.getArrayAttr(encodings));
      like.setGrain(encoding.getWidth());
      symbols.insert(like, kernel->getIterator());
    }
    return like;
  }

  SymbolTable &symbols;
  llvm::DenseMap<std::pair<Operation *, Attribute>, plan::KernelOp> kernels;
};

} // namespace

void grantUpdates(SymbolTable &symbols, PanelUpdates &updates,
                  llvm::function_ref<plan::EncodingAttr(const PanelUpdate &)> encodingOf) {
  Repacker repacker(symbols);
  for (auto &[op, update] : updates) {
    auto kernel = cast<plan::KernelOp>(op);
    const plan::EncodingAttr encoding = encodingOf(update);
    if (!encoding)
      continue;
    const PlainContraction plain = *readContraction(kernel);
    SmallVector<Attribute> encodings(kernel.getBody().getNumArguments(), UnitAttr::get(kernel.getContext()));
    const unsigned right = plain.operands[Contraction::Rhs].argument;
    if (const plan::EncodingAttr former = kernel.getEncoding(right)) {
      encodings[right] = encoding;
      if (former != encoding)
        for (plan::LaunchOp launch : update.launches)
          repacker.repack(launch, right, encoding);
    }
    for (unsigned argument : update.arguments)
      encodings[argument] = encoding;
    kernel.setEncodingsAttr(ArrayAttr::get(kernel.getContext(), encodings));
    if (asProduct(plain).cut == LoopedContraction::Cut::Columns)
      kernel.setGrain(encoding.getWidth());
  }
  repacker.eraseReplaced();
}

} // namespace nacre::encode
