/// @file  Communicator::grow: ranks that come later are taken in; all get a larger communicator, or none does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "bootstrap/reception.hpp"
#include "communicator_state.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/rendezvous.hpp"
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

/// An error of one rank for the others; code 0: none.
struct Note {
  std::int32_t code = 0;
  std::array<char, 508> reason{};
};

Note note_of(const Error& error) {
  Note note{.code = static_cast<std::int32_t>(error.code()) + 1};
  const std::string text = error.reason();
  std::copy_n(text.begin(), std::min(text.size(), note.reason.size() - 1), note.reason.begin());
  return note;
}

std::optional<Error> error_in(const Note& note) {
  if (note.code == 0) return std::nullopt;
  return Error(static_cast<Code>(note.code - 1), std::string(note.reason.data()));
}

}  // namespace

Communicator Communicator::grow(int newcomers, const std::string& place) const {
  const World& mine = world();
  const Context where{.rank = mine.rank, .operation = "grow"};
  if (state_->facts.hosts > 1) {
    throw Error(Code::unsupported, "the ranks are on several hosts, whose MPI takes in no more",
                {.rank = mine.rank, .operation = "grow", .remedy = "start the job anew from what was saved"});
  }
  if (newcomers < 1) {
    throw Error(Code::invalid_argument, fmt::format("{} newcomers", newcomers),
                {.rank = mine.rank, .operation = "grow", .remedy = "at least 1 rank comes"});
  }
  Communicator self = *this;
  const Endpoint meeting = reception_place(place);
  World grown = larger(mine, newcomers);

  Note note;
  if (mine.rank == 0) {
    try {
      open_reception(grown, newcomers, meeting);
    } catch (const Error& error) {
      note = note_of(error);
    }
  }
  broadcast(self, on_host(reinterpret_cast<char*>(&note), sizeof note), 0).wait();
  if (const auto refused = error_in(note)) throw refused->with(where);

  std::optional<Communicator> made;
  std::optional<Error> failed;
  try {
    if (mine.rank != 0) enter_reception(grown, meeting);
    gather_ranks(grown, "growing", grown.deadline());
    made.emplace(std::move(grown), config());
  } catch (const Error& error) {
    failed = error;
  }
  std::int32_t all_have_it = made ? 1 : 0;
  all_reduce(self, on_host(&all_have_it, 1), minimum).wait();
  if (failed) throw failed->with(where);
  if (all_have_it != 0) return *std::move(made);
  throw Error(Code::aborted, "another rank could not take part in the larger communicator",
              {.rank = mine.rank, .operation = "grow", .remedy = "its error says why; this communicator can go on"});
}

}  // namespace tutti
