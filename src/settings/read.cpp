#include "settings/read.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "settings/database.hpp"
#include "settings/shell_words.hpp"
#include "topology/nccl_log_lines.hpp"

namespace tutti::settings {

namespace {

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; });
}

/// A name we have something to say about.
bool is_wanted(std::string_view name) { return is_name(name) && (is_ours(name) || mended_prefix(name)); }

/// "NAME=value" with a wanted name.
std::optional<Setting> assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || !is_wanted(word.substr(0, equals))) return std::nullopt;
  return Setting{.name = std::string(word.substr(0, equals)), .value = std::string(word.substr(equals + 1))};
}

/// Is it what `env` prints, where nothing is quoted? Values of functions may have lines of their own.
bool is_dump(const std::vector<NcclLogLine>& lines) {
  std::size_t assignments = 0;
  for (const NcclLogLine& line : lines) {
    for (const std::string_view start : {"#!", "export ", "setenv ", "#SBATCH ", "#PBS "}) {
      if (line.text.starts_with(start)) return false;
    }
    const auto equals = line.text.find('=');
    if (equals == std::string_view::npos || !is_name(line.text.substr(0, equals))) {
      assignments += line.text.starts_with('#') ? 1 : 0;
      continue;
    }
    if (is_wanted(line.text.substr(0, equals)) && line.text.find(' ') != std::string_view::npos) return false;
    ++assignments;
  }
  return !lines.empty() && 2 * assignments >= lines.size();
}

std::vector<Settings> read_dump(const std::vector<NcclLogLine>& lines, const std::string& place) {
  std::map<int, Settings> by_rank;
  for (const NcclLogLine& line : lines) {
    auto setting = assignment(line.text);
    // One host prints what all have; a rank without one of ours still counts.
    Settings& settings = by_rank[line.rank];
    settings.who = line.rank < 0 ? place : "rank " + std::to_string(line.rank);
    if (!setting) continue;
    setting->place = place;
    setting->line = line.number;
    settings.all.push_back(*std::move(setting));
  }
  std::vector<Settings> all;
  all.reserve(by_rank.size());
  for (auto& [rank, settings] : by_rank) all.push_back(std::move(settings));
  return all;
}

class ScriptReader {
 public:
  ScriptReader(std::string_view text, const std::string& place) : words_(shell_words(text)) { settings_.who = place; }

  Settings read() {
    std::string_view command;
    for (at_ = 0; at_ < words_.size(); ++at_) {
      const Word& word = words_[at_];
      if (word.first) command = word.text;
      if (command == "echo" || command == "printf" || command == "grep") continue;
      if (auto setting = assignment(word.text)) {
        add(*std::move(setting), word.line);
      } else if (word.text.starts_with("--export=")) {
        slurm_export(std::string_view(word.text).substr(9), word.line);
      } else {
        pair(command, word);
      }
    }
    return std::move(settings_);
  }

 private:
  std::string_view next(std::size_t ahead) const {
    return at_ + ahead < words_.size() ? std::string_view(words_[at_ + ahead].text) : std::string_view{};
  }

  void add(Setting setting, std::size_t line) {
    setting.place = settings_.who;
    setting.line = line;
    settings_.all.push_back(std::move(setting));
  }

  /// Names and values that are words of their own.
  void pair(std::string_view command, const Word& word) {
    static constexpr std::array<std::string_view, 5> setters = {"setenv", "-genv", "-env", "ENV", "--export"};
    const bool set = std::find(setters.begin(), setters.end(), word.text) != setters.end();
    if (word.text == "--export") {
      slurm_export(next(1), word.line);
    } else if (set && is_wanted(next(1))) {
      add({.name = std::string(next(1)), .value = std::string(next(2))}, word.line);
      at_ += 2;
    } else if ((word.text == "--mca" || word.text == "-mca" || word.text == "--gmca") && is_name(next(1))) {
      add({.name = "OMPI_MCA_" + std::string(next(1)), .value = std::string(next(2))}, word.line);
      at_ += 2;
    } else if (command == "unset" && is_wanted(word.text)) {
      std::erase_if(settings_.all, [&](const Setting& setting) { return setting.name == word.text; });
    } else if (word.text == "name:" && is_wanted(next(1)) && next(2) == "value:") {
      add({.name = std::string(next(1)), .value = std::string(next(3))}, word.line);
      at_ += 3;
    } else if (word.text.ends_with(':') && is_wanted(std::string_view(word.text).substr(0, word.text.size() - 1))) {
      add({.name = word.text.substr(0, word.text.size() - 1), .value = std::string(next(1))}, word.line);
      ++at_;
    }
  }

  /// "ALL,NCCL_DEBUG=INFO,NCCL_IB_HCA=mlx5_0,mlx5_1": Slurm cuts at every comma.
  void slurm_export(std::string_view list, std::size_t line) {
    bool ours = false;
    while (!list.empty()) {
      const auto comma = std::min(list.find(','), list.size());
      const auto part = list.substr(0, comma);
      list.remove_prefix(std::min(comma + 1, list.size()));
      if (auto setting = assignment(part)) {
        add(*std::move(setting), line);
        ours = true;
      } else if (part.find('=') != std::string_view::npos || part == "ALL" || part == "NONE" || part == "NIL") {
        ours = false;
      } else if (ours && std::any_of(part.begin(), part.end(), [](unsigned char c) { return std::islower(c) != 0; })) {
        std::string& cut = settings_.all.back().cut;
        cut += (cut.empty() ? "" : ",") + std::string(part);
      }
    }
  }

  std::vector<Word> words_;
  std::size_t at_ = 0;
  Settings settings_{};
};

}  // namespace

std::vector<Settings> read_settings(std::string_view text, const std::string& place) {
  std::string lines_only;
  if (text.find('\0') != std::string_view::npos) {
    lines_only = text;
    std::replace(lines_only.begin(), lines_only.end(), '\0', '\n');
    text = lines_only;
  }
  const auto lines = nccl_log_lines(text);
  if (is_dump(lines)) return read_dump(lines, place);
  return {ScriptReader(text, place).read()};
}

Settings settings_of_line(std::string_view line) { return ScriptReader(line, "command line").read(); }

}  // namespace tutti::settings
