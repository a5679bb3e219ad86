// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the number of columns is a multiple of the width, one kernel copies [rows][panels][width] to
// [panels][rows][width], or back. Otherwise, each panel has a separate kernel.

#include "compiler/encode/panels/PanelCopies.h"
#include "compiler/encode/panels/ElementwiseKernels.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::encode {

Panels::Panels(MemRefType type, plan::EncodingAttr encoding)
    : elementType(type.getElementType()), columns(type.getShape().back()), width(encoding.getWidth()),
      count(llvm::divideCeil(columns, width)) {
  assert(encoding.getGroups() == 1 && encoding.getParts() == 1 && "states have panels of all columns alike");
  rows = type.getNumElements() / columns;
}

namespace {

Value view(OpBuilder &builder, Location loc, Value memory, ArrayRef<int64_t> shape, int64_t offset = 0) {
  auto type = MemRefType::get(shape, cast<MemRefType>(memory.getType()).getElementType());
  return plan::ViewOp::create(builder, loc, type, memory, Value(), offset, /*step=*/0);
}

void launch(OpBuilder &builder, Location loc, FlatSymbolRefAttr kernel, Value from, Value to) {
  auto copy =
      plan::LaunchOp::create(builder, loc, TypeRange(), kernel, from, to, DenseI64ArrayAttr(), DenseI64ArrayAttr());
  // GPU code cannot read the panels of a state.
  if (!plan::isOnCpu(copy))
    plan::setEngine(copy, plan::Engine::Cpu);
}

/// Makes a kernel with one input and one output. `body` returns the new contents of the output, given both arguments.
plan::KernelOp makeKernel(OpBuilder &builder, RankedTensorType from, RankedTensorType to,
                          llvm::function_ref<Value(OpBuilder &, Value, Value)> body) {
  Location loc = builder.getUnknownLoc();
  auto kernel = plan::KernelOp::create(builder, loc, builder.getStringAttr("copy"), plan::KernelKind::Nest,
                                       /*num_inputs=*/1, /*cut_axis=*/0, to.getDimSize(0), /*grain=*/1, ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&kernel.getBody(), {}, {from, to}, {loc, loc});
  Value result = body(builder, block->getArgument(0), block->getArgument(1));
  plan::YieldOp::create(builder, loc, result);
  return kernel;
}

Value copy(OpBuilder &builder, Value from, Value to, AffineMap read) {
  const unsigned rank = cast<RankedTensorType>(to.getType()).getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, builder.getUnknownLoc(), to.getType(), from, to,
             ArrayRef<AffineMap>{read, builder.getMultiDimIdentityMap(rank)}, iterators,
             [](OpBuilder &b, Location at, ValueRange scalars) { linalg::YieldOp::create(b, at, scalars[0]); })
      .getResult(0);
}

/// Slice of `size` columns of a matrix, beginning at column `first`.
struct Columns {
  Columns(OpBuilder &builder, RankedTensorType matrix, int64_t first, int64_t size)
      : type(matrix.clone({matrix.getDimSize(0), size})) {
    offsets = getAsIndexOpFoldResult(builder.getContext(), {0, first});
    sizes = getAsIndexOpFoldResult(builder.getContext(), {matrix.getDimSize(0), size});
    strides = getAsIndexOpFoldResult(builder.getContext(), {1, 1});
  }
  Value extract(OpBuilder &builder, Value matrix) const {
    if (type == matrix.getType())
      return matrix;
    return tensor::ExtractSliceOp::create(builder, builder.getUnknownLoc(), type, matrix, offsets, sizes, strides);
  }
  Value insert(OpBuilder &builder, Value part, Value matrix) const {
    if (type == matrix.getType())
      return part;
    return tensor::InsertSliceOp::create(builder, builder.getUnknownLoc(), part, matrix, offsets, sizes, strides);
  }
  RankedTensorType type;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

} // namespace

void PanelCopies::intoPanels(OpBuilder &builder, Location loc, Value plain, const Panels &panels, Value packed) {
  if (panels.columns % panels.width == 0)
    return copyAll(builder, loc, plain, panels, packed, /*packs=*/true);
  for (int64_t panel = 0; panel < panels.count; ++panel)
    copyPanel(builder, loc, plain, panels, packed, panel, /*packs=*/true);
}

void PanelCopies::outOfPanels(OpBuilder &builder, Location loc, Value packed, const Panels &panels, Value plain) {
  if (panels.columns % panels.width == 0)
    return copyAll(builder, loc, packed, panels, plain, /*packs=*/false);
  for (int64_t panel = 0; panel < panels.count; ++panel)
    copyPanel(builder, loc, plain, panels, packed, panel, /*packs=*/false);
}

void PanelCopies::copyAll(OpBuilder &builder, Location loc, Value from, const Panels &panels, Value to, bool packs) {
  const SmallVector<int64_t> plain = {panels.rows, panels.count, panels.width},
                             packed = {panels.count, panels.rows, panels.width};
  const SmallVector<int64_t> &read = packs ? plain : packed, &written = packs ? packed : plain;
  FlatSymbolRefAttr kernel =
      getKernel(Twine(packs ? "pack_" : "unpack_") + Twine(panels.rows) + "x" + Twine(panels.columns) + "by" +
                    Twine(panels.width),
                [&](OpBuilder &b) {
                  AffineMap turned = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0, 2}, b.getContext());
                  return makeKernel(b, RankedTensorType::get(read, panels.elementType),
                                    RankedTensorType::get(written, panels.elementType),
                                    [&](OpBuilder &in, Value a, Value out) { return copy(in, a, out, turned); });
                });
  launch(builder, loc, kernel, view(builder, loc, from, read), view(builder, loc, to, written));
}

void PanelCopies::copyPanel(OpBuilder &builder, Location loc, Value plain, const Panels &panels, Value packed,
                            int64_t panel, bool packs) {
  auto matrix = RankedTensorType::get({panels.rows, panels.columns}, panels.elementType);
  auto one = RankedTensorType::get({panels.rows, panels.width}, panels.elementType);
  const int64_t size = panels.getColumnsOf(panel);
  auto body = [&](OpBuilder &b, Value from, Value to) {
    const Columns inMatrix(b, matrix, panel * panels.width, size), inPanel(b, one, 0, size);
    const Columns &source = packs ? inMatrix : inPanel, &target = packs ? inPanel : inMatrix;
    Value read = source.extract(b, from);
    if (packs && size < panels.width) {
      Value zero = arith::ConstantOp::create(b, b.getUnknownLoc(), b.getZeroAttr(panels.elementType));
      to = linalg::FillOp::create(b, b.getUnknownLoc(), zero, to).getResult(0);
    }
    return target.insert(b, copy(b, read, target.extract(b, to), b.getMultiDimIdentityMap(2)), to);
  };
  FlatSymbolRefAttr kernel =
      getKernel(Twine(packs ? "pack_" : "unpack_") + Twine(panels.rows) + "x" + Twine(panels.columns) + "by" +
                    Twine(panels.width) + "at" + Twine(panel),
                [&](OpBuilder &b) { return makeKernel(b, packs ? matrix : one, packs ? one : matrix, body); });
  Value wholePlain = view(builder, loc, plain, matrix.getShape());
  Value ofPanel = view(builder, loc, packed, one.getShape(), panel * panels.rows * panels.width);
  launch(builder, loc, kernel, packs ? wholePlain : ofPanel, packs ? ofPanel : wholePlain);
}

FlatSymbolRefAttr PanelCopies::overPanels(plan::KernelOp kernel, const Panels &panels) {
  replaced.insert(kernel);
  MemRefType memory = panels.getMemory();
  return getKernel(Twine(kernel.getSymName()) + "_over" + Twine(panels.width), [&](OpBuilder &builder) {
    return cloneOver(builder, kernel, kernel.getSymName(), memory.getDimSize(0), memory.getDimSize(1));
  });
}

FlatSymbolRefAttr PanelCopies::fromPanels(plan::KernelOp kernel, plan::EncodingAttr encoding) {
  replaced.insert(kernel);
  return getKernel(Twine(kernel.getSymName()) + "_from" + Twine(encoding.getWidth()), [&](OpBuilder &builder) {
    auto clone = cast<plan::KernelOp>(builder.clone(*kernel));
    SmallVector<Attribute> encodings(clone.getEncodingsAttr().getValue());
    encodings[0] = encoding;
    clone.setEncodingsAttr(builder.getArrayAttr(encodings));
    return clone;
  });
}

FlatSymbolRefAttr PanelCopies::getKernel(const Twine &name, llvm::function_ref<plan::KernelOp(OpBuilder &)> make) {
  SmallString<64> key;
  plan::KernelOp &kernel = made[name.toStringRef(key)];
  if (!kernel) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    kernel = make(builder);
    kernel.setSymName(key);
    kernel->remove();
    symbols.insert(kernel, module.getBody()->end());
  }
  return FlatSymbolRefAttr::get(kernel.getSymNameAttr());
}

void PanelCopies::eraseReplaced() {
  module.walk([&](plan::LaunchOp launch) { replaced.remove(symbols.lookup(launch.getKernel())); });
  for (Operation *kernel : replaced)
    symbols.erase(kernel);
}

} // namespace nacre::encode
