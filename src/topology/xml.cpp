#include "topology/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

[[noreturn]] void refuse_at(const std::string& name, std::string_view text, std::size_t at, const std::string& why) {
  throw Error(Code::invalid_argument, fmt::format("{}:{}: {}", name, line_at(text, at), why));
}

}  // namespace

std::string_view xml_root_name(std::string_view text) {
  const auto pass = [&](std::string_view end) {
    const auto at = text.find(end);
    text = at == std::string_view::npos ? std::string_view{} : text.substr(at + end.size());
  };
  for (;;) {
    text = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.starts_with("<?")) {
      pass("?>");
    } else if (text.starts_with("<!--")) {
      pass("-->");
    } else if (text.starts_with("<!DOCTYPE")) {
      pass(text.substr(0, text.find('>')).find('[') == std::string_view::npos ? ">" : "]>");
    } else {
      break;
    }
  }
  if (!text.starts_with('<')) return {};
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

Xml::Xml(std::string_view text, std::string name) : name_(std::move(name)) {
  if (const auto at = text.find("<!ENTITY"); at != std::string_view::npos) {
    refuse_at(name_, text, at, "declares an entity; none are expected in a topology");
  }
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '<')) > 2 * max_elements) {
    refuse_at(name_, text, 0, fmt::format("has more than {} elements", max_elements));
  }
  const auto result = document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const auto at = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text.size());
    const bool at_end = trim(text.substr(at)).empty();
    refuse_at(name_, text, at,
              at_end ? fmt::format("the text ends here, within an element ({})", result.description())
                     : fmt::format("this is no XML: {}", result.description()));
  }
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    line_ends_.push_back(at);
  }
  root_ = document_.document_element();
  for (auto sibling = root_.next_sibling(); sibling; sibling = sibling.next_sibling()) {
    if (sibling.type() == pugi::node_element) {
      refuse(sibling, fmt::format("expected the end, found a second root element <{}>", sibling.name()));
    }
  }
  std::size_t elements = 0;
  int depth = 0;
  for (auto node = root_; node;) {  // without recursion: the depth is what is being checked
    if (++elements > max_elements) refuse(node, fmt::format("has more than {} elements", max_elements));
    if (depth > max_depth) refuse(node, fmt::format("is nested deeper than {} elements", max_depth));
    if (const auto child = node.first_child()) {
      node = child;
      ++depth;
      continue;
    }
    while (node && node != root_ && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node == root_ ? pugi::xml_node{} : node.next_sibling();
  }
}

std::size_t Xml::line(pugi::xml_node node) const {
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
  const auto end = std::lower_bound(line_ends_.begin(), line_ends_.end(), at);
  return static_cast<std::size_t>(end - line_ends_.begin()) + 1;
}

void Xml::refuse(pugi::xml_node node, const std::string& why) const {
  throw Error(Code::invalid_argument, fmt::format("{}:{}: {}", name_, line(node), why));
}

}  // namespace tutti
