/// @file  MemoryNetwork: a network between threads of this process, with the manners of MPI's, for tests without it.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "run/shape.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/network.hpp"

namespace tutti::test {

/// What all ranks of a network share.
class Switch {
 public:
  struct Post {
    Request request;
    ReduceOp::Loop loop = nullptr;
    std::vector<std::size_t> counts;
    std::vector<std::size_t> receive_counts;
    std::shared_ptr<void> kept;
  };
  /// A collective: carried out by whoever looks when the last rank has come.
  struct Call {
    std::vector<Post> posts;
    int posted = 0;
    bool done = false;
    bool broken = false;  ///< somebody went away
  };
  struct Message {
    const void* from = nullptr;
    void* to = nullptr;
    std::size_t sent = 0;  ///< bytes
    std::size_t expected = 0;
    bool done = false;
    bool broken = false;
  };

  explicit Switch(int size) : size(size), next(static_cast<std::size_t>(size)) {}

  const int size;
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Call>> calls;
  std::vector<std::uint64_t> next;  ///< [size] calls begun
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> sends, receives;
  std::map<std::pair<std::vector<int>, int>, std::shared_ptr<Switch>> parts;
  std::map<std::pair<std::vector<int>, int>, int> parts_made;  ///< by members and rank

  void carry_out(Call& call) {
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<std::vector<std::byte>> in(ranks);
    std::vector<Shape> shapes(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      shapes[r] = shape_of(call.posts[r].request, static_cast<int>(r), size);
      in[r].resize(shapes[r].in * call.posts[r].request.element_size);
      if (!in[r].empty()) std::memcpy(in[r].data(), call.posts[r].request.in, in[r].size());
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      if (shapes[r].out > 0) deliver(call, in, shapes, static_cast<int>(r));
    }
    call.done = true;
  }

 private:
  static std::size_t sum(const std::vector<std::size_t>& counts, std::size_t end) {
    return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(end), std::size_t{0});
  }

  void deliver(Call& call, const std::vector<std::vector<std::byte>>& in, const std::vector<Shape>& shapes, int rank) {
    const auto self = static_cast<std::size_t>(rank);
    const Post& post = call.posts[self];
    const Request& request = post.request;
    const std::size_t bytes = request.element_size;
    auto* out = static_cast<std::byte*>(request.out);
    const std::size_t length = shapes[self].out * bytes;
    switch (request.collective) {
      case Collective::all_reduce:
      case Collective::reduce:
        return combine(post, in, 0, shapes[self].out);
      case Collective::reduce_scatter:
        return combine(post, in, self * length, shapes[self].out);
      case Collective::reduce_scatter_v:
        return combine(post, in, sum(post.counts, self) * bytes, shapes[self].out);
      case Collective::broadcast:
        std::memcpy(out, in[static_cast<std::size_t>(request.root)].data(), length);
        return;
      case Collective::scatter:
        std::memcpy(out, in[static_cast<std::size_t>(request.root)].data() + self * length, length);
        return;
      case Collective::all_gather:
      case Collective::all_gather_v:
      case Collective::gather:
        for (const auto& part : in) {
          if (!part.empty()) std::memcpy(out, part.data(), part.size());
          out += part.size();
        }
        return;
      case Collective::all_to_all:
        for (const auto& part : in) {
          std::memcpy(out, part.data() + self * request.count * bytes, request.count * bytes);
          out += request.count * bytes;
        }
        return;
      case Collective::all_to_all_v:
        for (std::size_t r = 0; r < in.size(); ++r) {
          const Post& other = call.posts[r];
          if (other.counts[self] == 0) continue;
          std::memcpy(out, in[r].data() + sum(other.counts, self) * bytes, other.counts[self] * bytes);
          out += other.counts[self] * bytes;
        }
        return;
      default:
        return;
    }
  }

  static void combine(const Post& post, const std::vector<std::vector<std::byte>>& in, std::size_t begin,
                      std::size_t count) {
    std::vector<const void*> sources;
    for (const auto& part : in) sources.push_back(part.data() + begin);
    post.loop({.sources = sources.data(),
               .source_count = static_cast<int>(sources.size()),
               .destinations = &post.request.out,
               .destination_count = 1,
               .count = count},
              post.request.op.state);
  }
};

class MemoryNetwork final : public Network {
 public:
  MemoryNetwork(std::shared_ptr<Switch> shared, int rank) : shared_(std::move(shared)), rank_(rank) {}

  std::string_view name() const noexcept override { return "memory"; }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return shared_->size; }
  Threads threads() const noexcept override { return Threads::any; }

  std::shared_ptr<Network> subset(std::span<const int> ranks) override {
    const std::lock_guard lock(shared_->mutex);
    const std::vector<int> members(ranks.begin(), ranks.end());
    int place = 0;
    while (members[static_cast<std::size_t>(place)] != rank_) ++place;
    const int turn = shared_->parts_made[{members, rank_}]++;
    auto& part = shared_->parts[{members, turn}];
    if (part == nullptr) part = std::make_shared<Switch>(static_cast<int>(members.size()));
    return std::make_shared<MemoryNetwork>(part, place);
  }

  std::unique_ptr<Transfer> start(const Request& request, ReduceOp::Loop loop, std::shared_ptr<void> kept) override {
    if (reduces(request.collective)) {
      expect(loop != nullptr && request.op.kind != Op::average && request.op.kind != Op::premultiplied_sum,
             Code::internal, "a network combines, and gives no first and no last touch");
    }
    const std::lock_guard lock(shared_->mutex);
    if (is_pairwise(request.collective)) return post(request);
    const std::uint64_t number = shared_->next[static_cast<std::size_t>(rank_)]++;
    auto& call = shared_->calls[number];
    if (call == nullptr) {
      call = std::make_shared<Switch::Call>();
      call->posts.resize(static_cast<std::size_t>(shared_->size));
    }
    auto& mine = call->posts[static_cast<std::size_t>(rank_)];
    mine = {request,
            loop,
            {request.counts.begin(), request.counts.end()},
            {request.receive_counts.begin(), request.receive_counts.end()},
            std::move(kept)};
    mine.request.counts = mine.counts;
    mine.request.receive_counts = mine.receive_counts;
    ++call->posted;
    auto begun = call;
    if (call->posted == shared_->size) shared_->calls.erase(number);
    const int patience = static_cast<int>((number * 5 + static_cast<std::uint64_t>(rank_) * 3) % 4);
    return std::make_unique<CallTransfer>(shared_, std::move(begun), patience);
  }

 private:
  struct CallTransfer final : Transfer {
    CallTransfer(std::shared_ptr<Switch> shared, std::shared_ptr<Switch::Call> call, int patience)
        : shared(std::move(shared)), call(std::move(call)), patience(patience) {}
    ~CallTransfer() override {
      const std::lock_guard lock(shared->mutex);
      if (!call->done) call->broken = true;
    }
    bool test() override {
      const std::lock_guard lock(shared->mutex);
      if (patience-- > 0) return false;  // news travel slowly
      if (!call->done && call->posted == shared->size && !call->broken) shared->carry_out(*call);
      return call->done;
    }
    std::shared_ptr<Switch> shared;
    std::shared_ptr<Switch::Call> call;
    int patience;
  };

  struct MessageTransfer final : Transfer {
    MessageTransfer(std::shared_ptr<Switch> shared, std::shared_ptr<Switch::Message> message, bool receives)
        : shared(std::move(shared)), message(std::move(message)), receives(receives) {}
    ~MessageTransfer() override {
      const std::lock_guard lock(shared->mutex);
      if (!message->done) message->broken = true;
    }
    bool test() override {
      const std::lock_guard lock(shared->mutex);
      if (message->broken || message->from == nullptr || message->to == nullptr) return false;
      const bool fits = message->sent == message->expected;
      if (!message->done && fits) std::memcpy(message->to, message->from, message->sent);
      message->done = true;
      if (receives && !fits) throw Error(Code::mismatch, "its message has another length");
      return true;
    }
    std::shared_ptr<Switch> shared;
    std::shared_ptr<Switch::Message> message;
    bool receives;
  };

  /// The k-th send meets the k-th receive.
  std::unique_ptr<Transfer> post(const Request& request) {
    const bool receives = request.collective == Collective::recv;
    const std::pair<int, int> way = receives ? std::pair{request.root, rank_} : std::pair{rank_, request.root};
    auto& mine = receives ? shared_->receives[way] : shared_->sends[way];
    auto& theirs = receives ? shared_->sends[way] : shared_->receives[way];
    std::shared_ptr<Switch::Message> message;
    if (theirs.empty()) {
      message = mine.emplace_back(std::make_shared<Switch::Message>());
    } else {
      message = theirs.front();
      theirs.pop_front();
    }
    const std::size_t bytes = request.count * request.element_size;
    if (receives) {
      message->to = request.out;
      message->expected = bytes;
    } else {
      message->from = request.in;
      message->sent = bytes;
    }
    return std::make_unique<MessageTransfer>(shared_, std::move(message), receives);
  }

  std::shared_ptr<Switch> shared_;
  int rank_;
};

}  // namespace tutti::test
