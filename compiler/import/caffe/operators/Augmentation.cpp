// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DataAugmentation, a layer of FlowNet's Caffe. It changes images at random in training. In use, it only subtracts
// their mean.

#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

/// Parameters of the random changes.
constexpr llvm::StringLiteral randomChanges[] = {
    "mirror",
    "translate",
    "rotate",
    "zoom",
    "squeeze",
    "translate_x",
    "translate_y",
    "gamma",
    "brightness",
    "contrast",
    "color",
    "lmult_pow",
    "lmult_mult",
    "lmult_add",
    "sat_pow",
    "sat_mult",
    "sat_add",
    "col_pow",
    "col_mult",
    "col_add",
    "ladd_pow",
    "ladd_mult",
    "ladd_add",
    "col_rotate",
    "noise",
    "fog_amount",
    "fog_size",
    "motion_blur_angle",
    "motion_blur_size",
    "shadow_angle",
    "shadow_distance",
    "shadow_strength",
};

/// Reports an error if the layer does more in use than subtracting the mean of images.
bool keepsImages(OperandBinder &node) {
  const bool isRandom = node.getFlag("augment_during_test", false);
  for (StringRef name : randomChanges)
    if (node.getTold(name) && isRandom)
      node.error() << "parameter '" << name << "' must be absent where 'augment_during_test' is true, because a "
                   << "compiled network changes no images at random; set 'augment_during_test' to false";
  if (!node.checkRank(0, 4, 4))
    return false;
  const Ints shape = getShape(node.getOperand(0));
  const int64_t height = node.getInt("crop_height", 0), width = node.getInt("crop_width", 0);
  if ((height > 0 || width > 0) && (height != shape[2] || width != shape[3]))
    node.error() << "parameters 'crop_height' and 'crop_width' must be the size of the image, " << shape[2] << "x"
                 << shape[3] << ", but are " << height << "x" << width
                 << "; remove them, and crop images before the network";
  return !node.hasFailed();
}

/// Returns the mean of many images, which the layer computed in training. Returns null after an error. Caffe updates
/// the mean until it has seen 'recompute_mean' batches. The first blob is the number of batches so far.
Value readTrainedMean(OperandBinder &node, Blobs &blobs, int64_t batches, bool isPerPixel) {
  const Ints shape = getShape(node.getOperand(0));
  const int64_t channels = shape[1];
  Value seen = blobs.get(0, {1}, {"", static_cast<double>(batches)});
  if (!seen)
    return {};
  ElementsAttr known = getConstant(seen);
  if (!known) {
    node.error() << "must have a mean that is known when the network is compiled, but its weights are trained; remove "
                    "the layer, and subtract the mean before the network";
    return {};
  }
  const double count = known.getValues<APFloat>()[0].convertToDouble();
  if (!(count >= static_cast<double>(batches))) {
    node.error() << "parameter 'recompute_mean' must be at most " << (count >= 0 ? static_cast<int64_t>(count) : 0)
                 << ", the batches that the mean in the weights is of, but is " << batches
                 << "; lower it, so that the mean does not depend on the images of a run";
    return {};
  }
  if (isPerPixel)
    return blobs.get(1, shape.drop_front(), {"", 0});
  Value mean = blobs.get(2, {channels}, {"", 0});
  return mean ? node.nn.alignToAxis(mean, 1, 4) : Value();
}

void importDataAugmentation(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  node.ignore({"max_multiplier", "write_augmented", "write_mean", "mode", "bottomwidth", "bottomheight", "num",
               "chromatic_eigvec"});
  const int64_t batches = node.getInt("recompute_mean", 0);
  const bool isPerPixel = node.getFlag("mean_per_pixel", true);
  const SmallVector<double> given = node.getFloats("mean");
  if (!keepsImages(node))
    return;
  Value x = node.getOperand(0), mean;
  if (batches > 0) {
    mean = readTrainedMean(node, blobs, batches, isPerPixel);
    if (!mean)
      return;
  } else if (!given.empty()) {
    const int64_t channels = getShape(x)[1];
    if (isPerPixel || static_cast<int64_t>(given.size()) != channels) {
      node.error() << "parameter 'mean' must have one number for each of " << channels << " channels, with "
                   << "'mean_per_pixel' false, but has " << given.size() << " with 'mean_per_pixel' "
                   << (isPerPixel ? "true" : "false");
      return;
    }
    SmallVector<Value> numbers;
    for (double number : given)
      numbers.push_back(nn.reshape(nn.scalar(x, number), 1));
    mean = nn.alignToAxis(nn.concat(numbers, 0), 1, 4);
  }
  node.setResult(mean ? nn.sub(x, mean) : x);
}

} // namespace

void registerAugmentation(ImportRegistry &registry) {
  registry.add("DataAugmentation", 1, {{"bottom", Holds::Floats}, {"blobs...?", Holds::Floats}},
               importDataAugmentation);
  registry.setLimit("DataAugmentation", "no random changes, no crops");
}

} // namespace nacre::importer::caffe_format
