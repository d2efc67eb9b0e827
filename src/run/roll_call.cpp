#include "run/roll_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "bootstrap/secret.hpp"
#include "run/tuning_agreement.hpp"
#include "topology/numa.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

// Keys in the store:
//
//     roll/R     rank R's card
//     tuning/R   of ranks of one process: rank R's word about its tuning
//     tuning     rank 0's verdict about them
//     roll       rank 0's summary of all cards
//     machine/H  the topology of host H
//     machines   all of them, merged by rank 0

/// What a rank says of itself, a line each.
struct Card {
  std::string host_id;
  std::string host;
  long pid = 0;
  std::string tuning{};     ///< its word about it
  std::vector<int> cpus{};  ///< that it may use
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string text_of(const Card& card) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n", one_line(card.host_id), one_line(card.host), one_line(card.tuning),
                     card.pid, fmt::join(card.cpus, " "));
}

Card card_of(const std::string& text) {
  std::istringstream lines(text);
  Card card;
  std::getline(lines, card.host_id);
  std::getline(lines, card.host);
  std::getline(lines, card.tuning);
  lines >> card.pid;
  for (int cpu = 0; lines >> cpu;) card.cpus.push_back(cpu);
  return card;
}

Card own_card(const World& world, const Tuning* tuning) {
  Card card{world.host_id, world.host, ::getpid(), word_of(tuning), allowed_cpus()};
  if (card.cpus.empty()) {  // their numbers are not known: as many as there are
    card.cpus.resize(static_cast<std::size_t>(allowed_cpu_count()));
    std::iota(card.cpus.begin(), card.cpus.end(), 0);
  }
  return card;
}

/// What all need to know of the cards.
struct Summary {
  std::vector<int> host{};  ///< [ranks]
  std::vector<std::string> names{};
  std::vector<bool> one_process{};  ///< [hosts]
  std::vector<int> cpus{};          ///< [hosts] that its ranks may use, all together
  std::vector<bool> apart{};        ///< [hosts] none of these is of two ranks
  bool oversubscribed = false;
  std::uint64_t id = 0;
  std::string discord{};  ///< what is wrong with their tunings; empty: nothing
};

Summary summary_of(const std::vector<Card>& cards) {
  Summary summary;
  summary.id = id_of(random_name());
  std::map<std::string, int> numbers;
  std::vector<const Card*> first;
  std::vector<int> ranks;
  std::vector<std::set<int>> cpus;
  std::vector<std::size_t> cpus_of_ranks;
  std::vector<std::string> words;
  for (const Card& card : cards) {
    words.push_back(card.tuning);
    const auto [found, is_new] = numbers.try_emplace(card.host_id, static_cast<int>(numbers.size()));
    const auto host = static_cast<std::size_t>(found->second);
    summary.host.push_back(found->second);
    if (is_new) {
      summary.names.push_back(card.host);
      summary.one_process.push_back(true);
      first.push_back(&card);
      ranks.push_back(0);
      cpus.emplace_back();
      cpus_of_ranks.push_back(0);
    }
    ++ranks[host];
    cpus[host].insert(card.cpus.begin(), card.cpus.end());
    cpus_of_ranks[host] += card.cpus.size();
    if (card.pid != first[host]->pid) summary.one_process[host] = false;
  }
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    summary.cpus.push_back(static_cast<int>(cpus[host].size()));
    summary.apart.push_back(cpus_of_ranks[host] == cpus[host].size());
    summary.oversubscribed = summary.oversubscribed || ranks[host] > summary.cpus[host];
  }
  summary.discord = discord_of(words);
  return summary;
}

std::string text_of(const Summary& summary) {
  std::string text = fmt::format("{}\n{} {} {}\n", one_line(summary.discord), summary.oversubscribed ? 1 : 0,
                                 summary.id, summary.names.size());
  for (std::size_t host = 0; host < summary.names.size(); ++host) {
    text += fmt::format("{} {} {} {}\n", summary.one_process[host] ? 1 : 0, summary.apart[host] ? 1 : 0,
                        summary.cpus[host], summary.names[host]);
  }
  return text + fmt::format("{}\n", fmt::join(summary.host, " "));
}

Summary summary_from(const std::string& text, int ranks) {
  std::istringstream lines(text);
  Summary summary;
  std::size_t hosts = 0;
  std::getline(lines, summary.discord);
  lines >> summary.oversubscribed >> summary.id >> hosts;
  for (std::size_t host = 0; host < hosts && lines; ++host) {
    bool one_process = false;
    bool apart = false;
    lines >> one_process >> apart >> summary.cpus.emplace_back();
    lines.ignore(1);
    summary.apart.push_back(apart);
    summary.one_process.push_back(one_process);
    std::getline(lines, summary.names.emplace_back());
  }
  int host = 0;
  while (lines >> host) summary.host.push_back(host);
  if (summary.host.size() != static_cast<std::size_t>(ranks)) {
    throw Error(Code::bootstrap, "rank 0's list of hosts makes no sense",
                {.operation = "making a communicator", .remedy = "start all ranks with one build of the program"});
  }
  return summary;
}

RollCall roll_of(const Summary& summary, int rank) {
  refuse_discord(summary.discord, rank);
  RollCall roll{Placement(summary.host), summary.id, summary.names, summary.oversubscribed};
  const auto host = static_cast<std::size_t>(roll.placement.host(rank));
  roll.cpus = summary.cpus[host];
  roll.apart = summary.apart[host];
  roll.one_process = summary.one_process[host];
  return roll;
}

}  // namespace

std::uint64_t id_of(std::string_view name) {
  std::uint64_t id = 0;
  for (const char c : digest_name(name).substr(0, 16)) {
    id = id << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return id != 0 ? id : 1;
}

RollCall call_roll(const World& world, const Tuning* tuning, Store::Deadline deadline) {
  if (world.size == 1 || (world.one_process && world.network == nullptr)) {
    agree_on_tuning(world, tuning, deadline);
    const int cpus = allowed_cpu_count_of_process();  // not the thread's own: all ranks must choose alike
    static const std::string of_process = random_name();
    const std::uint64_t id = id_of(world.job + (world.size == 1 ? random_name() : of_process));
    return {Placement::on_one_host(world.size), id, {world.host}, world.size > cpus, cpus, false, world.one_process};
  }
  Store& store = *world.store;
  const auto key = [](int rank) { return fmt::format("roll/{}", rank); };
  if (world.rank != 0) {
    store.set(key(world.rank), text_of(own_card(world, tuning)));
    return roll_of(summary_from(tutti::text_of(store.wait("roll", deadline)), world.size), world.rank);
  }
  std::vector<Card> cards{own_card(world, tuning)};
  for (int rank = 1; rank < world.size; ++rank) {
    cards.push_back(card_of(tutti::text_of(store.wait(key(rank), deadline))));
  }
  const Summary summary = summary_of(cards);
  store.set("roll", text_of(summary));
  store.erase_prefix("roll/");
  return roll_of(summary, 0);
}

Topology gather_topology(const World& world, const Placement& placement, const Topology& machine,
                         Store::Deadline deadline) {
  Store& store = *world.store;
  const auto key = [](int host) { return fmt::format("machine/{}", host); };
  if (world.rank != 0 && placement.local_rank(world.rank) == 0) {
    store.set(key(placement.host(world.rank)), serialise(machine));
  }
  if (world.rank != 0) return deserialise(text_of(store.wait("machines", deadline)));
  std::vector<Topology> machines{machine};
  for (int host = 1; host < placement.hosts(); ++host) {
    machines.push_back(deserialise(text_of(store.wait(key(host), deadline))));
  }
  Topology all = merge(machines);
  store.set("machines", serialise(all));
  store.erase_prefix("machine/");
  return all;
}

void expect_network(const World& world, const RollCall& roll, bool progress_thread) {
  if (roll.placement.hosts() == 1) return;
  const auto refuse = [&](const std::string& what, const char* remedy) {
    throw Error(Code::unsupported, what, {.rank = world.rank, .operation = "making a communicator", .remedy = remedy});
  };
  if (world.network == nullptr) {
    refuse(fmt::format("its {} ranks are on {} hosts ({}), and nothing carries data between them", world.size,
                       roll.placement.hosts(), fmt::join(roll.host_names, ", ")),
           "make the World with tutti::from_mpi (target tutti::mpi), or run all ranks on one host");
  }
  if (progress_thread && world.network->threads() == Network::Threads::one) {
    refuse(fmt::format("a progress thread may not use the network ({}), which was set up for one thread",
                       world.network->name()),
           "initialise MPI with MPI_Init_thread and MPI_THREAD_MULTIPLE (MPI_THREAD_SERIALIZED when the program itself "
           "makes no calls of MPI), or leave Config::progress_thread off");
  }
}

World local_world(const World& world, const RollCall& roll) {
  if (roll.placement.hosts() == 1) return world;
  World local = world;
  const int host = roll.placement.host(world.rank);
  local.rank = roll.placement.local_rank(world.rank);
  local.size = static_cast<int>(roll.placement.on(host).size());
  local.one_process = roll.one_process;
  local.store = prefixed(world.store, fmt::format("host/{}/", host));
  local.network = nullptr;
  return local;
}

}  // namespace tutti
