/// @file  carry_out: each call is what each rank sends to each other, and what it makes of what it receives.
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "emulated_cuda/nccl/communicator.hpp"

namespace tutti::emulated_nccl {

namespace {

/// What begins each message: both sides must mean the same call.
struct Signature {
  int kind, type, op, root;
  std::size_t bytes;
  Reduction reduction;
};

/// One message, sent or received in pieces.
struct Transfer {
  bool sends;
  int peer;
  char* data;
  std::size_t bytes;
  Signature signature;
  std::size_t done = 0;
  bool begun = false;
  bool finished = false;
};

int pair_kind(Kind kind) { return static_cast<int>(kind == Kind::recv ? Kind::send : kind); }

class Run {
 public:
  explicit Run(ncclComm& communicator) : c_(communicator) {}

  void send(const Call& call, int peer, const void* data, std::size_t bytes) {
    transfers_.push_back({true, peer, static_cast<char*>(const_cast<void*>(data)), bytes, signature(call, bytes)});
  }
  void receive(const Call& call, int peer, void* data, std::size_t bytes) {
    transfers_.push_back({false, peer, static_cast<char*>(data), bytes, signature(call, bytes)});
  }
  /// Moves all of them side by side, each pair's in order. False: given up.
  bool finish() {
    std::size_t left = transfers_.size();
    int idle = 0;
    while (left > 0) {
      bool moved = false;
      std::vector<bool> busy(2 * most_ranks, false);  // a pair's messages do not overtake one another
      for (Transfer& transfer : transfers_) {
        const auto way = static_cast<std::size_t>(transfer.peer + (transfer.sends ? most_ranks : 0));
        if (transfer.finished || busy[way]) continue;
        busy[way] = true;
        if (!(transfer.sends ? push(transfer) : pull(transfer))) continue;
        moved = true;
        if (transfer.finished) --left;
      }
      if (gave_up()) return false;
      if (!moved && ++idle > 64) {
        const timespec nap{0, 50'000};
        nanosleep(&nap, nullptr);
      } else if (!moved) {
        sched_yield();
      } else {
        idle = 0;
      }
    }
    transfers_.clear();
    return true;
  }
  bool gave_up() const {
    const int state = c_.state.load();
    return c_.stop.load() || (state != ncclSuccess && state != ncclInProgress);
  }
  const Reduction& reduction_of(int rank) const { return reductions_[static_cast<std::size_t>(rank)]; }

 private:
  Signature signature(const Call& call, std::size_t bytes) const {
    const bool rooted = call.kind == Kind::broadcast || call.kind == Kind::reduce || call.kind == Kind::gather ||
                        call.kind == Kind::scatter;
    return {pair_kind(call.kind),
            call.kind == Kind::send || call.kind == Kind::recv ? 0 : call.type,
            call.reduction.scaled ? -1 : static_cast<int>(call.reduction.op),
            rooted ? call.root : 0,
            bytes,
            call.reduction};
  }

  bool push(Transfer& t) {
    Mailbox& box = c_.segment->layout().mail[c_.rank][t.peer];
    if (box.bytes.load(std::memory_order_acquire) != 0) return false;
    if (!t.begun) {
      std::memcpy(box.data, &t.signature, sizeof t.signature);
      box.bytes.store(sizeof t.signature, std::memory_order_release);
      t.begun = true;
      t.finished = t.bytes == 0;
      return true;
    }
    const std::size_t piece = std::min(mail_bytes, t.bytes - t.done);
    std::memcpy(box.data, t.data + t.done, piece);
    box.bytes.store(static_cast<std::uint32_t>(piece), std::memory_order_release);
    t.done += piece;
    t.finished = t.done == t.bytes;
    return true;
  }

  bool pull(Transfer& t) {
    Mailbox& box = c_.segment->layout().mail[t.peer][c_.rank];
    const std::size_t piece = box.bytes.load(std::memory_order_acquire);
    if (piece == 0) return false;
    if (!t.begun) {
      Signature theirs;
      std::memcpy(&theirs, box.data, sizeof theirs);
      if (theirs.kind != t.signature.kind || theirs.type != t.signature.type || theirs.op != t.signature.op ||
          theirs.root != t.signature.root || theirs.bytes != t.signature.bytes) {
        std::fprintf(stderr, "emulated NCCL: rank %d: %s of %zu bytes meets rank %d's %s of %zu bytes\n", c_.rank,
                     name_of(static_cast<Kind>(t.signature.kind)), t.bytes, t.peer,
                     name_of(static_cast<Kind>(theirs.kind)), theirs.bytes);
        c_.state = ncclInvalidUsage;
        return false;
      }
      reductions_[static_cast<std::size_t>(t.peer)] = theirs.reduction;
      t.begun = true;
      t.finished = t.bytes == 0;
    } else {
      std::memcpy(t.data + t.done, box.data, piece);
      t.done += piece;
      t.finished = t.done == t.bytes;
    }
    box.bytes.store(0, std::memory_order_release);
    return true;
  }

  ncclComm& c_;
  std::vector<Transfer> transfers_;
  Reduction reductions_[most_ranks] = {};
};

/// What every rank gives for one combination, received from those in `from`.
bool combine_parts(ncclComm& c, const Call& call, const void* mine, void* out, const std::vector<std::size_t>& offsets,
                   bool combines) {
  Run run(c);
  const std::size_t bytes = call.count * size_of(call.type);
  std::vector<std::vector<char>> parts(static_cast<std::size_t>(c.ranks), std::vector<char>(combines ? bytes : 0));
  for (int peer = 0; peer < c.ranks; ++peer) {
    if (peer == c.rank) continue;
    const std::size_t at = offsets[static_cast<std::size_t>(peer)];
    if (at != static_cast<std::size_t>(-1)) run.send(call, peer, static_cast<const char*>(call.in) + at, bytes);
    if (combines) run.receive(call, peer, parts[static_cast<std::size_t>(peer)].data(), bytes);
  }
  if (!run.finish()) return false;
  if (!combines) return true;
  std::vector<const char*> all;
  std::vector<Reduction> reductions;
  for (int rank = 0; rank < c.ranks; ++rank) {
    all.push_back(rank == c.rank ? static_cast<const char*>(mine) : parts[static_cast<std::size_t>(rank)].data());
    reductions.push_back(rank == c.rank ? call.reduction : run.reduction_of(rank));
  }
  std::vector<char> result(bytes);
  combine(result.data(), all, call.count, call.type, reductions);
  if (bytes > 0) std::memcpy(out, result.data(), bytes);
  return true;
}

void copy_part(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

bool collective(ncclComm& c, const Call& call) {
  Run run(c);
  const std::size_t part = call.count * size_of(call.type), me = static_cast<std::size_t>(c.rank);
  const auto* in = static_cast<const char*>(call.in);
  auto* out = static_cast<char*>(call.out);
  constexpr auto nothing = static_cast<std::size_t>(-1);
  std::vector<std::size_t> offsets(static_cast<std::size_t>(c.ranks), 0);
  switch (call.kind) {
    case Kind::all_reduce:
      return combine_parts(c, call, in, out, offsets, true);
    case Kind::reduce:
      for (int peer = 0; peer < c.ranks; ++peer) {
        if (peer != call.root) offsets[static_cast<std::size_t>(peer)] = nothing;
      }
      return combine_parts(c, call, in, out, offsets, c.rank == call.root);
    case Kind::reduce_scatter:
      for (std::size_t peer = 0; peer < offsets.size(); ++peer) offsets[peer] = peer * part;
      return combine_parts(c, call, in + me * part, out, offsets, true);
    case Kind::broadcast:
      for (int peer = 0; peer < c.ranks; ++peer) {
        if (c.rank == call.root && peer != c.rank) run.send(call, peer, in, part);
      }
      if (c.rank == call.root) copy_part(out, in, part);
      if (c.rank != call.root) run.receive(call, call.root, out, part);
      return run.finish();
    default:
      break;
  }
  const bool to_all = call.kind != Kind::gather, from_all = call.kind != Kind::scatter, is_root = c.rank == call.root;
  for (int peer = 0; peer < c.ranks; ++peer) {
    const std::size_t there = static_cast<std::size_t>(peer) * part;
    const char* mine = call.kind == Kind::all_to_all || call.kind == Kind::scatter ? in + there : in;
    char* theirs = call.kind == Kind::scatter ? out : out + there;
    const bool sends = call.kind == Kind::scatter ? is_root : to_all || peer == call.root;
    const bool receives = call.kind == Kind::gather ? is_root : from_all || peer == call.root;
    if (peer == c.rank) {
      if (sends && receives) copy_part(theirs, mine, part);
      continue;
    }
    if (sends) run.send(call, peer, mine, part);
    if (receives) run.receive(call, peer, theirs, part);
  }
  return run.finish();
}

/// Sends and receives of a job move side by side; those from a rank to itself are copies, in order.
bool pairs(ncclComm& c, const std::vector<Call>& calls) {
  Run run(c);
  std::vector<const Call*> to_self, from_self;
  for (const Call& call : calls) {
    const std::size_t bytes = call.count * size_of(call.type);
    if (call.root == c.rank) {
      (call.kind == Kind::send ? to_self : from_self).push_back(&call);
    } else if (call.kind == Kind::send) {
      run.send(call, call.root, call.in, bytes);
    } else {
      run.receive(call, call.root, call.out, bytes);
    }
  }
  for (std::size_t i = 0; i < std::min(to_self.size(), from_self.size()); ++i) {
    copy_part(from_self[i]->out, to_self[i]->in, to_self[i]->count * size_of(to_self[i]->type));
  }
  return run.finish();
}

bool in_order(const Job& job) {
  ncclComm& c = *job.communicator;
  std::vector<Call> paired;
  for (const Call& call : job.calls) {
    if (call.kind == Kind::send || call.kind == Kind::recv) {
      paired.push_back(call);
    } else if (!collective(c, call)) {
      return false;
    }
  }
  return pairs(c, paired);
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"AllReduce", "Reduce", "ReduceScatter", "AllGather", "Broadcast",
                                   "AlltoAll",  "Gather", "Scatter",       "Send/Recv", "Send/Recv"};
  return names[static_cast<int>(kind)];
}

void carry_out(const Job& job) {
  ncclComm& c = *job.communicator;
  {
    std::unique_lock lock(c.mutex);
    c.turned.wait(lock, [&] { return c.stop.load() || (c.running == 0 && (job.turn < 0 || job.turn == c.turn_now)); });
    ++c.running;
  }
  if (!c.stop.load()) in_order(job);
  const std::lock_guard lock(c.mutex);
  --c.running;
  if (job.turn >= 0) ++c.turn_now;
  c.turned.notify_all();
}

}  // namespace tutti::emulated_nccl
