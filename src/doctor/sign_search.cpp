#include "doctor/sign_search.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace tutti::doctor {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(text.substr(0, text.find(separator)));
    text.remove_prefix(std::min(text.size(), parts.back().size() + 1));
  }
  return parts;
}

/// Signs are of ASCII; all other bytes are one that no sign has.
std::size_t small_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 128 ? static_cast<std::size_t>(std::tolower(byte)) : 0;
}

}  // namespace

SignSearch::SignSearch(std::span<const Cause> causes) {
  std::map<std::string_view, std::uint16_t> numbers;
  for (const Cause& cause : causes) {
    Signs signs{.cause = &cause};
    for (const auto sign : split(cause.signs, '|')) {
      auto& alternative = signs.alternatives.emplace_back();
      for (const auto part : split(sign, '&')) {
        const auto [known, fresh] = numbers.emplace(part, static_cast<std::uint16_t>(parts_));
        alternative.push_back(known->second);
        if (!fresh) continue;
        ++parts_;
        std::uint16_t at = 0;
        for (const char c : part) {
          const std::size_t letter = small_letter(c);
          if (states_[at].next[letter] == 0) {
            states_[at].next[letter] = static_cast<std::uint16_t>(states_.size());
            states_.emplace_back();
          }
          at = states_[at].next[letter];
        }
        states_[at].ends.push_back(known->second);
      }
    }
    signs_.push_back(std::move(signs));
  }
  join_states();
}

/// Where a part can go no further, the longest end of what was read that begins another part goes on.
void SignSearch::join_states() {
  std::vector<std::uint16_t> shorter(states_.size());
  std::vector<std::uint16_t> order;
  for (const auto next : states_.front().next) {
    if (next != 0) order.push_back(next);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint16_t at = order[i];
    const State& less = states_[shorter[at]];
    states_[at].ends.insert(states_[at].ends.end(), less.ends.begin(), less.ends.end());
    for (std::size_t letter = 0; letter < states_[at].next.size(); ++letter) {
      auto& next = states_[at].next[letter];
      if (next == 0) {
        next = less.next[letter];
      } else {
        shorter[next] = less.next[letter];
        order.push_back(next);
      }
    }
  }
}

const Cause* SignSearch::first(std::string_view line, bool nccl, bool warning) const {
  std::vector<bool> there;
  std::uint16_t at = 0;
  for (const char c : line) {
    at = states_[at].next[small_letter(c)];
    for (const auto part : states_[at].ends) {
      if (there.empty()) there.resize(parts_);
      there[part] = true;
    }
  }
  if (there.empty() && !warning) return nullptr;  // only among warnings does one without a sign mean something
  there.resize(parts_);
  for (const Signs& signs : signs_) {
    if (signs.cause->where == Where::warning && !warning) continue;
    if (signs.cause->where == Where::nccl && !nccl) continue;
    const auto whole = [&](const Parts& parts) {
      return std::all_of(parts.begin(), parts.end(), [&](std::uint16_t part) { return there[part]; });
    };
    if (signs.alternatives.empty() || std::any_of(signs.alternatives.begin(), signs.alternatives.end(), whole)) {
      return signs.cause;
    }
  }
  return nullptr;
}

}  // namespace tutti::doctor
