#include "tutti/topology/read.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <vector>

#include "topology/pasted_matrix.hpp"
#include "topology/reader.hpp"
#include "topology/source_text.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why, const std::string& remedy = {}) {
  throw Error(Code::invalid_argument, fmt::format("{}: {}", name, why), {.remedy = remedy});
}

std::string contents(std::istream& in, const std::string& name) {
  std::string text;
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_text) {
      refuse(name, fmt::format("is longer than {}: too long for a topology", format_bytes(max_text)));
    }
  }
  return text;
}

}  // namespace

std::string_view checked_text(std::string_view text, const std::string& name) {
  if (text.size() > max_text) {
    refuse(name, fmt::format("has {}, more than {}: too long for a topology", format_bytes(text.size()),
                             format_bytes(max_text)));
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    refuse(name, "is UTF-16 text; expected UTF-8", "save it as UTF-8");
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    refuse(fmt::format("{}:{}", name, line_at(text, nul)), "is binary, not text");
  }
  if (const auto bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    refuse(fmt::format("{}:{}", name, line_at(text, bad)),
           fmt::format("byte 0x{:02x} is no UTF-8", static_cast<unsigned char>(text[bad])), "save it as UTF-8");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) refuse(name, "is empty");
  return text;
}

Topology from_text(std::string_view text, const std::string& name) {
  text = checked_text(text, name);
  for (const Reader& reader : readers()) {
    if (reader.recognises(text)) return reader.read(text, name);
  }
  if (const auto head = matrix_head(text)) {
    const auto place = fmt::format("{}:{}", name, head->line);
    if (head->columns > max_columns) {
      refuse(place, fmt::format("a matrix of {} GPUs and adapters; at most {} are read", head->columns, max_columns));
    }
    refuse(place,
           fmt::format("a matrix of {} GPUs and adapters begins here, and its first row ends before its second cell; "
                       "expected as many cells (X, NV#, PIX, PXB, PHB, NODE, SYS) as columns",
                       head->columns),
           "paste all of it");
  }
  std::vector<std::string_view> kinds;
  for (const Reader& reader : readers()) kinds.push_back(reader.what);
  const auto start = text.find_first_not_of(" \t\r\n");
  const auto line = text.substr(start, text.find_first_of("\r\n", start) - start);
  refuse(fmt::format("{}:{}", name, line_at(text, start)),
         fmt::format("\"{}\" begins nothing that is known; expected {}", shown(line, 60), fmt::join(kinds, ", ")));
}

SourceText text_of(const std::filesystem::path& path) {
  if (path.empty()) throw Error(Code::invalid_argument, "the name of a file is empty");
  if (path == "-") return {"standard input", contents(std::cin, "standard input")};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(path.string(), "is a folder; expected a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_errno(Code::invalid_argument, path.string());
  return {path.string(), contents(in, path.string())};
}

Topology from_file(const std::filesystem::path& path) {
  const auto source = text_of(path);
  return from_text(source.text, source.name);
}

}  // namespace tutti
