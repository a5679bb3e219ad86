// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings. The number of windows is rounded up; an average counts the padding, and not what hangs over it.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/caffe/operators/Windows.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

using nn::PoolKind;

/// Reports an error where a window may lie in the padding alone, as Caffe does.
bool checkPads(OperandBinder &node, const Window &window) {
  for (size_t axis = 0; axis < 2; ++axis) {
    if (window.pads[axis] >= window.kernel[axis]) {
      node.error() << "the pads must be smaller than the kernel, but are " << window.pads[axis] << " of "
                   << window.kernel[axis] << " along axis " << axis + 2;
      return false;
    }
  }
  return true;
}

void importPooling(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4))
    return;
  StringRef method = node.getString("pool", "MAX");
  if (method == "STOCHASTIC") {
    node.error() << "parameter 'pool' must be MAX or AVE, but is STOCHASTIC, which draws at random";
    return;
  }
  bool isRoundedUp = node.getString("round_mode", "CEIL") == "CEIL";
  Window window{{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}};
  if (node.getFlag("global_pooling", false)) {
    node.ignore({"stride", "stride_h", "stride_w", "pad", "pad_h", "pad_w"});
    window.kernel = {getShape(x)[2], getShape(x)[3]};
  } else {
    FailureOr<Window> read = readWindow(node, /*isDilated=*/false);
    if (failed(read))
      return;
    window = std::move(*read);
  }
  if (!checkPads(node, window))
    return;
  if (isRoundedUp)
    roundUp(window, getShape(x).drop_front(2));
  if (checkPlaces(node, window, getShape(x)[1]))
    node.setResult(nn.toChannelsFirst(nn.pool(method == "AVE" ? PoolKind::Average : PoolKind::Max, nn.toChannelsLast(x),
                                              window.kernel, window.strides, window.pads, window.dilations,
                                              window.overhang, /*countPadding=*/true)));
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  registry.add("Pooling", 1, {{"bottom", Holds::Floats}}, importPooling);
  registry.setLimit("Pooling", "not `STOCHASTIC`");
}

} // namespace nacre::importer::caffe_format
