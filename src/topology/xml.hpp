/// @file  Xml: an XML text read within limits, with line numbers for messages.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// The name of the first element, without parsing: prolog, comments and document type are passed over. Empty
/// when there is none.
std::string_view xml_root_name(std::string_view text);

/// A parsed text. Throws Error(invalid_argument) with name and line for what is no XML, ends early, declares
/// entities, nests deeper than `max_depth`, or has more than `max_elements` elements.
class Xml {
 public:
  static constexpr int max_depth = 200;
  static constexpr std::size_t max_elements = 200'000;

  Xml(std::string_view text, std::string name);

  pugi::xml_node root() const { return root_; }
  const std::string& name() const { return name_; }
  std::size_t line(pugi::xml_node node) const;

  /// Throws Error(invalid_argument): "name:line: why".
  [[noreturn]] void refuse(pugi::xml_node node, const std::string& why) const;

 private:
  std::vector<std::size_t> line_ends_;
  std::string name_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

}  // namespace tutti
