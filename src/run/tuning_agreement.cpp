#include "run/tuning_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr std::size_t digest_letters = 16;

std::string_view digest_in(const std::string& word) { return std::string_view(word).substr(0, digest_letters); }

std::string told_of(const std::string& word) {
  return word.empty() ? "without tuning" : fmt::format("with tuning {}", digest_in(word));
}

/// "rank 3", "ranks 1, 3, 5 and 12 others".
std::string listed(const std::vector<std::size_t>& ranks) {
  constexpr std::size_t most = 8;
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i)
    text += fmt::format("{} {}", i > 0 ? "," : "", ranks[i]);
  if (ranks.size() > most) text += fmt::format(" and {} others", ranks.size() - most);
  return text;
}

}  // namespace

std::string word_of(const Tuning* tuning) {
  if (tuning == nullptr) return {};
  return digest(*tuning) + not_for(*tuning, this_host_facts());
}

std::string discord_of(std::span<const std::string> words) {
  std::vector<std::size_t> others;
  for (std::size_t rank = 1; rank < words.size(); ++rank) {
    if (digest_in(words[rank]) != digest_in(words[0])) others.push_back(rank);
  }
  if (!others.empty()) {
    return fmt::format("rank 0 is {}, {} {} {}", told_of(words[0]), listed(others), others.size() == 1 ? "is" : "are",
                       told_of(words[others.front()]));
  }
  std::string why;
  for (std::size_t rank = 0; rank < words.size(); ++rank) {
    if (words[rank].size() <= digest_letters) continue;
    if (why.empty()) why = words[rank].substr(digest_letters);
    others.push_back(rank);
  }
  if (others.empty()) return {};
  return words.size() == 1 ? why : fmt::format("on {}, {}", listed(others), why);
}

void refuse_discord(const std::string& discord, int rank) {
  if (discord.empty()) return;
  throw Error(Code::mismatch, discord,
              {.rank = rank,
               .operation = "making a communicator",
               .remedy = "give all ranks the same file of tutti tune, measured on such a machine, or none"});
}

void agree_on_tuning(const World& world, const Tuning* tuning, Store::Deadline deadline) {
  const auto key = [](int rank) { return fmt::format("tuning/{}", rank); };
  std::vector<std::string> words{word_of(tuning)};
  if (world.size > 1 && world.rank != 0) {
    world.store->set(key(world.rank), words[0]);
    refuse_discord(text_of(world.store->wait("tuning", deadline)), world.rank);
    return;
  }
  for (int rank = 1; rank < world.size; ++rank) words.push_back(text_of(world.store->wait(key(rank), deadline)));
  const std::string discord = discord_of(words);
  if (world.size > 1) {
    world.store->set("tuning", discord);
    world.store->erase_prefix("tuning/");
  }
  refuse_discord(discord, world.rank);
}

}  // namespace tutti
