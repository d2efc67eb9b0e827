#include "cli/doctor_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <istream>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::cli {

std::string contents_of(const std::string& file, std::istream& in, std::size_t most) {
  const auto refuse = [&](const std::string& what, const char* remedy) {
    throw Error(Code::invalid_argument, what, {.remedy = remedy});
  };
  std::ifstream opened;
  if (file != "-") {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) refuse(fmt::format("{} is a folder", file), "name the files in it");
    opened.open(file, std::ios::binary);
    if (!opened.is_open()) refuse(fmt::format("cannot read {}", file), "name a file that can be read");
  }
  std::istream& stream = file == "-" ? in : opened;
  std::string text;
  std::vector<char> block(std::size_t{1} << 20);
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) {
      refuse(fmt::format("{} has more than {}", file, format_bytes(most)), "give the part of it that matters");
    }
  }
  if (stream.bad()) refuse(fmt::format("cannot read {}", file), "name a file that can be read");
  return text;
}

}  // namespace tutti::cli
