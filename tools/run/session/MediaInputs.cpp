// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills inputs from pictures and sounds.

#include "tools/run/session/MediaInputs.h"
#include "tools/run/media/PictureFile.h"
#include "tools/run/media/Sound.h"
#include "tools/run/session/Text.h"

namespace nacre::run {

Outcome fillFromMedia(Port &port, const Media &media, std::string_view bytes, const std::string &path,
                      const Options &options) {
  const std::string name = printableText(port.name);
  nacre_tensor_info info = {};
  info.name = name.c_str();
  info.type = port.tensor.type;
  info.rank = static_cast<uint32_t>(port.tensor.dims.size());
  info.dims = port.tensor.dims.data();
  info.bytes = port.tensor.bytes();
  info.scale = port.quantization.scale;
  info.zero_point = port.quantization.zeroPoint;
  info.channels = port.quantization.channels.empty() ? nullptr : port.quantization.channels.data();
  info.channel_axis = port.quantization.channelAxis;
  if (media.kind == MediaKind::Wav)
    return writeSound(bytes, path, options.media, info, port.data);
  if (media.isPicture())
    return writePicture(media, bytes, path, options.media, info, port.data);
  return usageFailure("'" + path + "' is " + media.name + ", but --input reads JPEG, PNG and WAV files; convert it");
}

} // namespace nacre::run
