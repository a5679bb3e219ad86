// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings. The number of windows is rounded up. An average counts the padding, but no cells after the padding.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/caffe/operators/Windows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

using nn::PoolKind;

/// Reports an error if a window may lie completely in the padding, as Caffe does. Also reports an error if a window
/// begins after the image, where Caffe reads nothing.
bool checkPads(OperandBinder &node, const Window &window, bool isRoundedUp) {
  Ints sizes = getShape(node.getOperand(0)).drop_front(2);
  for (size_t axis = 0; axis < 2; ++axis) {
    if (window.pads[axis] >= window.kernel[axis]) {
      node.error() << "the pads must be smaller than the kernel, but are " << window.pads[axis] << " of "
                   << window.kernel[axis] << " along axis " << axis + 2;
      return false;
    }
    bool isPadded = window.pads[0] != 0 || window.pads[1] != 0;
    int64_t begin = llvm::divideCeil(std::max<int64_t>(sizes[axis] - window.kernel[axis], 0), window.strides[axis]) *
                    window.strides[axis];
    if (isRoundedUp && !isPadded && begin >= sizes[axis] && sizes[axis] > 0) {
      node.error() << "every window must begin inside the input, but the last one begins at " << begin << " of "
                   << sizes[axis] << " along axis " << axis + 2 << "; set 'round_mode' to FLOOR";
      return false;
    }
  }
  return true;
}

/// Pools the input by `method`. Returns null after an error.
Value pool(OperandBinder &node, StringRef method, Window window, bool isRoundedUp) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!checkPads(node, window, isRoundedUp))
    return {};
  if (isRoundedUp)
    roundUp(window, getShape(x).drop_front(2));
  if (!checkPlaces(node, window, getShape(x)[1]))
    return {};
  return nn.toChannelsFirst(nn.pool(method == "AVE" ? PoolKind::Average : PoolKind::Max, nn.toChannelsLast(x),
                                    window.kernel, window.strides, window.pads, window.dilations, window.overhang,
                                    /*countPadding=*/true));
}

/// Returns the method of a layer. Reports an error and returns `nullopt` if it is random.
std::optional<StringRef> readMethod(OperandBinder &node) {
  StringRef method = node.getString("pool", "MAX");
  if (method != "STOCHASTIC")
    return method;
  node.error() << "parameter 'pool' must be MAX or AVE, but is STOCHASTIC, which is random";
  return std::nullopt;
}

void importPooling(OperandBinder &node) {
  if (!node.checkRank(0, 4, 4))
    return;
  std::optional<StringRef> method = readMethod(node);
  if (!method)
    return;
  bool isRoundedUp = node.getString("round_mode", "CEIL") == "CEIL";
  Window window{{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}};
  if (node.getFlag("global_pooling", false)) {
    node.ignore({"stride", "stride_h", "stride_w", "pad", "pad_h", "pad_w"});
    window.kernel = {getShape(node.getOperand(0))[2], getShape(node.getOperand(0))[3]};
  } else {
    FailureOr<Window> read = readWindow(node, /*isDilated=*/false);
    if (failed(read))
      return;
    window = std::move(*read);
  }
  if (Value y = pool(node, *method, std::move(window), isRoundedUp))
    node.setResult(y);
}

/// Imports a pyramid of poolings, which divide an image into 1, 2 x 2, 4 x 4, ... parts. Each level is one row with all
/// channels.
void importSpp(OperandBinder &node) {
  const int64_t levels = node.getInt("pyramid_height", 0);
  std::optional<StringRef> method = node.checkRank(0, 4, 4) ? readMethod(node) : std::nullopt;
  if (!method)
    return;
  if (levels < 1 || levels > 30) {
    node.error() << "parameter 'pyramid_height' must be from 1 to 30, but is " << levels;
    return;
  }
  SmallVector<Value> rows;
  Ints shape = getShape(node.getOperand(0));
  for (int64_t level = 0; level < levels; ++level) {
    const int64_t parts = int64_t(1) << level;
    Window window{{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}};
    for (size_t axis = 0; axis < 2; ++axis) {
      int64_t size = std::max<int64_t>(llvm::divideCeil(shape[axis + 2], parts), 1);
      window.kernel[axis] = window.strides[axis] = size;
      window.pads[axis] = window.pads[axis + 2] = (size * parts - shape[axis + 2] + 1) / 2;
    }
    Value pooled = pool(node, *method, window, /*isRoundedUp=*/true);
    if (!pooled)
      return;
    rows.push_back(pooled);
  }
  if (levels == 1)
    return node.setResult(rows.front());
  for (Value &row : rows)
    row = node.nn.reshape(row, {shape[0], getShape(row)[1] * getShape(row)[2] * getShape(row)[3]});
  node.setResult(node.nn.concat(rows, 1));
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  registry.add("Pooling", 1, {{"bottom", Holds::Floats}}, importPooling);
  registry.setLimit("Pooling", "not `STOCHASTIC`");
  registry.add("SPP", 1, {{"bottom", Holds::Floats}}, importSpp);
  registry.setLimit("SPP", "not `STOCHASTIC`");
}

} // namespace nacre::importer::caffe_format
