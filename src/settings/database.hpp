/// @file  Variable and Database: every setting that is known, who reads it, since when, and what it may be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/version.hpp"

namespace tutti::settings {

enum class Status {
  read,        ///< by the newest version
  deprecated,  ///< read, but there is a better one
  removed,     ///< read once
  never,       ///< people write it, nobody reads it
  foreign      ///< read by another program
};

struct Variable {
  std::string_view name{};   ///< a `*` at the end: a family, all names that begin so
  std::string_view owner{};  ///< "NCCL", "tutti", "UCX", "Open MPI", "PyTorch", …
  Status status = Status::read;
  Version since{};              ///< 0.0: not known
  Version until{};              ///< the last version that read it, for those removed
  Version deprecated{};         ///< 0.0: not, or nobody knows since when
  std::string_view standard{};  ///< what holds when it is not set; may be empty
  std::string_view kind{};      ///< "flag", "int 0..7", "one A,B"; value.hpp knows them
  std::string_view meaning{};
  std::string_view instead{};  ///< what to use instead, or another remark; may be empty

  bool is_family() const { return name.ends_with('*'); }
};

class Database {
 public:
  /// All tables, read once.
  static const Database& all();

  /// The variable of this name; else the family with the longest name that it belongs to; else null.
  const Variable* find(std::string_view name) const;

  /// The variable that is meant by a name nobody knows; null when none is near. `near` counts changed letters.
  struct Guess {
    const Variable* variable = nullptr;
    std::size_t distance = 0;
  };
  Guess nearest(std::string_view name) const;

  const std::vector<Variable>& variables() const { return variables_; }

 private:
  Database();
  std::vector<Variable> variables_{};
};

/// NCCL_, TUTTI_, UCX_, OMPI_MCA_: those that are looked at.
bool is_ours(std::string_view name);

/// A name with a prefix that is one letter off ("NCLL_DEBUG"), mended; nothing when there is no need or no way.
std::optional<std::string> mended_prefix(std::string_view name);

}  // namespace tutti::settings
