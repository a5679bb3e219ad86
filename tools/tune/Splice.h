// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  puts one member's value of a JSON object's text in another's place.
// Why:   a tuned profile keeps of its base what is not measured, word for word; that needs no JSON library on a phone.

#ifndef NACRE_TOOLS_TUNE_SPLICE_H
#define NACRE_TOOLS_TUNE_SPLICE_H

#include <optional>
#include <string>
#include <string_view>

namespace nacre::tune {

/// The value of the member `name` (of the outermost object), within `object`; none where there is no such member or the
/// text is not closed.
std::optional<std::string_view> findMember(std::string_view object, std::string_view name);

/// `object` with that value replaced; none where findMember finds none.
std::optional<std::string> replaceMember(std::string_view object, std::string_view name, std::string_view value);

/// The same, but a member that is missing becomes the first.
std::optional<std::string> setMember(std::string_view object, std::string_view name, std::string_view value);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_SPLICE_H
