#include "cli/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "tutti/base/error.hpp"
#include "tutti/base/unique_fd.hpp"

namespace tutti::cli {

namespace {

[[noreturn]] void cannot_write(const std::string& path) {
  throw_errno(Code::resource, fmt::format("cannot write {}", path), "choose a place that can be written");
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    throw Error(Code::resource, fmt::format("cannot write {}: it is a folder", path_), {.remedy = "name a file in it"});
  }
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto target = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) path_ = target.string();
  }
  const std::filesystem::path name(path_);
  // The ending stays: programs tell formats by it.
  const std::string ending = name.extension().string();
  stays_ = std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored);
  if (stays_) {
    temporary_ = "/tmp/tutti-XXXXXX" + ending;
    const UniqueFd file{::mkstemps(temporary_.data(), static_cast<int>(ending.size()))};
    if (!file || ::access(path_.c_str(), W_OK) != 0) {
      if (file) ::unlink(temporary_.c_str());
      temporary_.clear();
      cannot_write(path_);
    }
    return;
  }
  temporary_ = (name.parent_path() / fmt::format(".{}.{}{}", name.stem().string(), ::getpid(), ending)).string();
  std::FILE* file = std::fopen(temporary_.c_str(), "we");
  if (file == nullptr) {
    temporary_.clear();
    cannot_write(path_);
  }
  std::fclose(file);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})), stays_(other.stays_) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(const std::string& text) {
  std::FILE* file = std::fopen(temporary_.c_str(), "we");
  if (file == nullptr) cannot_write(path_);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) cannot_write(path_);
}

void OutputFile::publish() {
  if (stays_) {
    std::ifstream in(temporary_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::FILE* file = std::fopen(path_.c_str(), "we");
    if (file == nullptr) cannot_write(path_);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) cannot_write(path_);
    ::unlink(temporary_.c_str());
    temporary_.clear();
    return;
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) cannot_write(path_);
  temporary_.clear();
}

}  // namespace tutti::cli
