// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a member's value in the text of a JSON object. A tuned profile contains the unmeasured parts of its base
// profile unchanged. This needs no JSON library.

#ifndef NACRE_TOOLS_TUNE_SPLICE_H
#define NACRE_TOOLS_TUNE_SPLICE_H

#include <optional>
#include <string>
#include <string_view>

namespace nacre::tune {

/// Returns the text of the value of the member `name` of the outermost object. Returns nullopt if there is no such
/// member, or if the text is incomplete.
std::optional<std::string_view> findMember(std::string_view object, std::string_view name);

/// Returns `object` with the value of the member `name` replaced. Returns nullopt if findMember() does.
std::optional<std::string> replaceMember(std::string_view object, std::string_view name, std::string_view value);

/// Like replaceMember(), but a missing member is added as the first member.
std::optional<std::string> setMember(std::string_view object, std::string_view name, std::string_view value);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_SPLICE_H
