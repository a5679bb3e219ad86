// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the samples of WAV files, and converts them to an input, so that users can try a network on a recording. A file
// is a list of chunks, of which only two matter, so no library is needed. Files may be malicious.

#ifndef NACRE_TOOLS_RUN_MEDIA_SOUND_H
#define NACRE_TOOLS_RUN_MEDIA_SOUND_H

#include "tools/run/media/MediaOptions.h"
#include "tools/run/tensors/Failure.h"

#include <string_view>

namespace nacre::run {

/// Samples of a WAV file, which stay in the file's memory.
struct Sound {
  enum class Format { Integer, Float };
  Format format = Format::Integer;
  uint32_t rate = 0; // samples per second
  uint32_t channels = 0;
  uint32_t bytesPerSample = 0;
  size_t frames = 0; // samples of each channel
  std::string_view data;

  /// Returns the mean of all channels of a frame, from -1 to 1.
  double sampleAt(size_t frame) const;
};

/// Finds the samples. Returns the problem with the file, or "".
std::string parseWav(std::string_view bytes, Sound &sound);

/// Writes the sound in `bytes` to the memory of the input that `info` describes. `path` is a printable name for
/// messages. A short sound is padded with zeros, and a long one is cut, each with a note.
Outcome writeSound(std::string_view bytes, const std::string &path, const MediaOptions &options,
                   const nacre_tensor_info &info, void *data);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_SOUND_H
