#include "cli/doctor_input.hpp"

#include <fmt/format.h>

#include <fstream>
#include <istream>
#include <iterator>

#include "tutti/base/error.hpp"

namespace tutti::cli {

std::string contents_of(const std::string& file, std::istream& in) {
  if (file == "-") return {std::istreambuf_iterator<char>(in), {}};
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    throw Error(Code::invalid_argument, fmt::format("cannot read {}", file),
                {.remedy = "name a file that can be read"});
  }
  return text;
}

}  // namespace tutti::cli
