// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out from a file's first bytes whether it is a picture or a sound, because its name may have any extension. So
// messages can call a picture that cannot be read a picture. No .npy file or TensorProto begins with the same bytes.

#ifndef NACRE_TOOLS_RUN_TENSORS_MEDIAKIND_H
#define NACRE_TOOLS_RUN_TENSORS_MEDIAKIND_H

#include <string_view>

namespace nacre::run {

enum class MediaKind { None, Jpeg, Png, Wav, Other };

struct Media {
  MediaKind kind = MediaKind::None;
  const char *name = ""; // name with its article, such as "a JPEG picture"

  bool isPicture() const { return kind == MediaKind::Jpeg || kind == MediaKind::Png; }
};

/// Returns the kind of a file from its bytes.
inline Media findMedia(std::string_view bytes) {
  using namespace std::string_view_literals;
  const struct {
    std::string_view magic, second; // first bytes of the file, and bytes at the offset `at`
    size_t at;
    Media media;
  } rows[] = {
      {"\xff\xd8\xff"sv, ""sv, 0, {MediaKind::Jpeg, "a JPEG picture"}},
      {"\x89PNG\r\n\x1a\n"sv, ""sv, 0, {MediaKind::Png, "a PNG picture"}},
      {"RIFF"sv, "WAVE"sv, 8, {MediaKind::Wav, "a WAV sound"}},
      {"RIFF"sv, "WEBP"sv, 8, {MediaKind::Other, "a WebP picture"}},
      {"GIF8"sv, ""sv, 0, {MediaKind::Other, "a GIF picture"}},
      {"II*\0"sv, ""sv, 0, {MediaKind::Other, "a TIFF picture"}},
      {"MM\0*"sv, ""sv, 0, {MediaKind::Other, "a TIFF picture"}},
      {"\0\0\0"sv, "ftyp"sv, 4, {MediaKind::Other, "an HEIC, AVIF or MP4 file"}},
      {"OggS"sv, ""sv, 0, {MediaKind::Other, "an Ogg sound"}},
      {"fLaC"sv, ""sv, 0, {MediaKind::Other, "a FLAC sound"}},
      {"ID3"sv, ""sv, 0, {MediaKind::Other, "an MP3 sound"}},
  };
  for (const auto &row : rows)
    if (bytes.substr(0, row.magic.size()) == row.magic && bytes.size() >= row.at &&
        bytes.substr(row.at, row.second.size()) == row.second)
      return row.media;
  return {};
}

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_MEDIAKIND_H
