// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a JPEG or PNG file to an input.

#include "tools/run/media/PictureFile.h"
#include "tools/run/media/Decoders.h"
#include "tools/run/media/Orientation.h"
#include "tools/run/tensors/Tensor.h"

#include <cstdio>

namespace nacre::run {
namespace {

std::string sizeText(int64_t width, int64_t height) { return std::to_string(width) + "x" + std::to_string(height); }

/// Returns the width and height of an input with one of these layouts.
std::string sizeOf(const nacre_tensor_info &info, PictureLayout layout) {
  const int64_t *last = info.dims + info.rank - 3;
  const bool isFirst =
      layout == PictureLayout::Nchw || (layout == PictureLayout::Automatic && (last[0] == 1 || last[0] == 3));
  return isFirst ? sizeText(last[2], last[1]) : sizeText(last[1], last[0]);
}

/// Returns advice about a problem.
std::string adviceFor(PictureProblem problem, const MediaOptions &options, const nacre_tensor_info &info) {
  switch (problem) {
  case PictureProblem::Rank:
    return "; this input needs a .npy or .pb file";
  case PictureProblem::Layout:
    return "; add --layout=nchw if the channels come before height and width, else --layout=nhwc";
  case PictureProblem::Channels:
    return options.picture.layout != PictureLayout::Automatic || options.picture.channels != PictureChannels::Automatic
               ? "; change --layout or --channels"
               : "; write it as .npy";
  case PictureProblem::Size:
    if (options.picture.crop)
      return "; raise --resize";
    return "; add --resize=" + sizeOf(info, options.picture.layout) +
           " to stretch it, or --resize=<shorter side> --crop to keep its center";
  case PictureProblem::Type:
  case PictureProblem::Quantization:
    return "; write it as .npy";
  default:
    return "";
  }
}

/// Reports an error if --mean or --std has several numbers for one channel.
std::string findCountProblem(const MediaOptions &options, const nacre_tensor_info &info) {
  if (info.rank != 3 && info.rank != 4)
    return "";
  const int64_t *last = info.dims + info.rank - 3;
  const bool isGray = options.picture.channels == PictureChannels::Gray ||
                      (options.picture.channels == PictureChannels::Automatic && last[0] != 3 && last[2] != 3);
  const char *option = options.means == 3 ? "--mean" : options.stds == 3 ? "--std" : nullptr;
  return isGray && option ? std::string(option) + " must be one number, because input '" + info.name + "' is gray" : "";
}

} // namespace

Outcome writePicture(const Media &media, std::string_view bytes, const std::string &path, const MediaOptions &options,
                     const nacre_tensor_info &info, void *data) {
  if (info.rank == 4 && info.dims[0] != 1)
    return usageFailure("'" + path + "' is one picture, but input '" + info.name + "' takes " +
                        std::to_string(info.dims[0]) + "; write them as .npy, or compile the model with a batch of 1");
  const std::string countProblem = findCountProblem(options, info);
  if (!countProblem.empty())
    return usageFailure(countProblem);
  DecodedPicture picture;
  const std::string problem = media.kind == MediaKind::Jpeg ? decodeJpeg(bytes, picture) : decodePng(bytes, picture);
  if (!problem.empty())
    return usageFailure("'" + path + "' is " + media.name + " that cannot be read: " + problem);
  const int orientation = media.kind == MediaKind::Jpeg ? findOrientation(bytes) : 1;
  if (orientation != 1)
    std::fprintf(
        stderr,
        "nacre-run: note: '%s' is stored turned or mirrored (EXIF orientation %d), and is used as it is stored, as by "
        "PIL\n",
        path.c_str(), orientation);
  PictureWriter writer;
  const nacre_status status = writer.write(picture.view(), options.picture, info, data);
  if (status == NACRE_OK)
    return std::nullopt;
  const std::string text = "'" + path + "': " + writer.reason() + adviceFor(writer.problem(), options, info);
  return status == NACRE_OUT_OF_MEMORY ? Failure{ExitCode::OutOfMemory, text} : usageFailure(text);
}

} // namespace nacre::run
