// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the orientation of a JPEG picture. Phones store pictures as the sensor is oriented. If a picture is on its
// side, a network gives wrong results without a visible reason.

#ifndef NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H
#define NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H

#include <string_view>

namespace nacre::run {

/// Returns the EXIF orientation, from 1 to 8. Returns 1 (upright) if the file contains no orientation. The file may be
/// malicious.
int findOrientation(std::string_view jpeg);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H
