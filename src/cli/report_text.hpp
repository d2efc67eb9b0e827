/// @file  Text in a page: what comes from files and machines is shown as it is, and never read as markup.
#pragma once

#include <string>
#include <string_view>

namespace tutti::report {

/// For text and quoted attributes. Bytes that are no UTF-8, control characters, and those that turn the direction of
/// writing become U+FFFD, so that nothing hides in a name.
std::string escaped(std::string_view text);

/// At most `most` characters, with "…" where some were cut; then escaped.
std::string cut(std::string_view text, std::size_t most);

}  // namespace tutti::report
