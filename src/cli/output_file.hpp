/// @file  OutputFile: a file that appears whole, under its name, or not at all.
#pragma once

#include <string>

namespace tutti::cli {

/// Opens a temporary file beside `path` at once, so that a place that cannot be written is refused before the work. A
/// link stays a link: the file that it names is replaced. What is no file, a device or a pipe, stays what it is, and is
/// written to when the contents are whole.
class OutputFile {
 public:
  explicit OutputFile(std::string path);  ///< throws Error(resource) naming the path
  ~OutputFile();                          ///< removes the temporary file
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Where the contents go until `publish`, for whoever writes them by name.
  const std::string& temporary() const { return temporary_; }

  void write(const std::string& text);  ///< the whole contents; throws Error(resource)
  void publish();                       ///< gives it its name; throws Error(resource)

 private:
  std::string path_;
  std::string temporary_;  ///< empty: moved or published
  bool stays_ = false;     ///< `path_` is a device, a pipe or the like
};

}  // namespace tutti::cli
