#include "tutti/bootstrap/descriptor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "bootstrap/address.hpp"
#include "bootstrap/descriptor_desk.hpp"
#include "bootstrap/handover.hpp"
#include "bootstrap/socket.hpp"
#include "bootstrap/thread.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

std::string store_key(std::string_view key) { return "descriptor/" + std::string(key); }

Context about(const World& world, std::string_view operation, std::string_view key) {
  Context context;
  context.rank = world.rank;
  context.operation = fmt::format("{} \"{}\"", operation, printable(key));
  return context;
}

// What is left in the store hurts nobody; a store that is gone is no reason to fail what has been done.
void forget(const World& world, const std::string& place) {
  try {
    world.store->erase(place);
  } catch (const Error&) {
  }
}

// Between ranks of one process a descriptor goes from hand to hand, here.
class Shelf {
 public:
  static Shelf& of_process() {
    static Shelf& shelf = *new Shelf;  // never destroyed: servers that are global variables may go later
    return shelf;
  }
  void put(const std::string& token, UniqueFd fd) {
    const std::scoped_lock lock(mutex_);
    fds_[token] = std::move(fd);
  }
  UniqueFd copy(const std::string& token) {
    const std::scoped_lock lock(mutex_);
    const auto found = fds_.find(token);
    return found == fds_.end() ? UniqueFd() : duplicate(found->second.fd());
  }
  void take_away(const std::string& token) {
    const std::scoped_lock lock(mutex_);
    fds_.erase(token);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, UniqueFd> fds_;
};

void share_within_process(const World& world, std::string_view key, int fd, int receivers, Store::Deadline deadline) {
  const handover::Ticket ticket{{}, random_name(), receivers};
  Shelf::of_process().put(ticket.token, duplicate(fd));
  struct Clear {
    const std::string& token;
    ~Clear() { Shelf::of_process().take_away(token); }
  } clear{ticket.token};
  const auto place = store_key(key);
  world.store->set(place, handover::encode(ticket));
  const bool all = world.store->try_wait(place + "/all", deadline).has_value();
  const auto taken = world.store->add(place + "/taken", 0);
  for (const char* suffix : {"", "/all", "/taken"}) forget(world, place + suffix);
  if (all) return;
  auto context = about(world, "sharing descriptor", key);
  context.remedy = "see whether the other ranks run";
  throw Error(Code::timeout, fmt::format("{} of {} receivers have come", taken, receivers), context);
}

UniqueFd receive_within_process(const World& world, std::string_view key, const handover::Ticket& ticket) {
  auto fd = Shelf::of_process().copy(ticket.token);
  if (!fd) throw Error(Code::peer_lost, "its owner has taken it back", about(world, "receiving descriptor", key));
  if (ticket.receivers > 0 && world.store->add(store_key(key) + "/taken", 1) == ticket.receivers) {
    world.store->set(store_key(key) + "/all", "");
  }
  return fd;
}

UniqueFd connect_to_owner(const std::string& name, Store::Deadline deadline, const Context& context) {
  for (;;) {
    auto attempt = connect_to(abstract_address(name), deadline);
    if (attempt.socket) {
      if (peer_user(attempt.socket.fd()) == ::geteuid()) return std::move(attempt.socket);
      throw Error(Code::bootstrap, "another user answers in the owner's place", context);
    }
    if (attempt.error == ECONNREFUSED) throw Error(Code::peer_lost, "its owner is gone", context);
    if (attempt.error != EAGAIN) {
      throw Error(Code::network, "connecting to its owner: " + std::system_category().message(attempt.error), context);
    }
    if (Clock::now() >= deadline) throw Error(Code::timeout, "its owner is busy", context);
    std::this_thread::sleep_for(1ms);  // its queue is full for now
  }
}

UniqueFd receive_over_socket(const World& world, std::string_view key, const handover::Ticket& ticket,
                             Store::Deadline deadline) {
  const auto context = about(world, "receiving descriptor", key);
  const auto check = [&](SocketResult transfer) {
    if (transfer == SocketResult::timeout) throw Error(Code::timeout, "its owner does not answer", context);
    if (transfer == SocketResult::closed) {
      throw Error(Code::peer_lost, "its owner hung up: it has ended, taken it back, or holds another secret", context);
    }
  };
  const UniqueFd socket = connect_to_owner(ticket.name, deadline, context);
  Nonce owners{};
  check(receive_all(socket.fd(), owners, deadline));
  const auto request = handover::request(world.secret, owners, random_nonce(), ticket.token);
  check(send_all(socket.fd(), request, deadline));
  check(ready(socket.fd(), POLLIN, deadline) ? SocketResult::done : SocketResult::timeout);
  auto received = handover::receive_descriptor(socket.fd());
  if (received.truncated) throw Error(Code::resource, "this process has no file descriptors left", context);
  check(received.closed ? SocketResult::closed : SocketResult::done);
  if (!same_proof(received.proof, handover::owner_proof(world.secret, owners, request))) {
    throw Error(Code::bootstrap, "its owner does not know the job's secret", context);
  }
  if (!received.fd) throw Error(Code::bootstrap, "its owner sent none", context);
  return std::move(received.fd);
}

}  // namespace

void share_descriptor(const World& world, std::string_view key, int fd, int receivers, Store::Deadline deadline) {
  if (receivers <= 0) return;
  if (world.one_process) return share_within_process(world, key, fd, receivers, deadline);
  DescriptorDesk desk(world.secret);
  const handover::Ticket ticket{desk.name(), random_name(), receivers};
  desk.offer(ticket.token, duplicate(fd));
  world.store->set(store_key(key), handover::encode(ticket));
  const int given = desk.serve(receivers, deadline);
  forget(world, store_key(key));
  if (given == receivers) return;
  auto context = about(world, "sharing descriptor", key);
  context.remedy = "see whether the other ranks run";
  throw Error(Code::timeout, fmt::format("{} of {} receivers have come", given, receivers), context);
}

UniqueFd receive_descriptor(const World& world, std::string_view key, Store::Deadline deadline) {
  const auto text = world.store->try_wait(store_key(key), deadline);
  if (!text) {
    throw Error(Code::timeout, "its owner has not offered it", about(world, "receiving descriptor", key));
  }
  const auto ticket = handover::decode(text_of(*text));
  if (ticket.name.empty()) return receive_within_process(world, key, ticket);
  return receive_over_socket(world, key, ticket, deadline);
}

class DescriptorServer::Loop {
 public:
  explicit Loop(World world) : world_(std::move(world)) {}

  ~Loop() {
    for (const auto& [key, token] : tokens_) {
      if (world_.one_process) Shelf::of_process().take_away(token);
    }
    if (!desk_) return;
    desk_->stop();
    if (::getpid() == pid_) {
      thread_.join();
    } else {
      thread_.detach();  // forked: the thread stayed in the parent
    }
  }

  void offer(std::string_view key, int fd) {
    const std::scoped_lock lock(mutex_);
    auto copy = duplicate(fd);
    handover::Ticket ticket{{}, random_name(), 0};
    if (world_.one_process) {
      Shelf::of_process().put(ticket.token, std::move(copy));
    } else {
      open();
      ticket.name = desk_->name();
      desk_->offer(ticket.token, std::move(copy));
    }
    forget(key);
    tokens_.emplace(key, ticket.token);
    world_.store->set(store_key(key), handover::encode(ticket));
  }

  void withdraw(std::string_view key) {
    const std::scoped_lock lock(mutex_);
    if (forget(key)) world_.store->erase(store_key(key));
  }

 private:
  void open() {
    if (desk_) return;
    desk_ = std::make_unique<DescriptorDesk>(world_.secret);
    thread_ = quiet_thread("tutti-fds", [desk = desk_.get()] {
      while (!desk->stopped()) {
        try {
          desk->serve(std::numeric_limits<int>::max(), Store::Deadline::max());
        } catch (const std::exception&) {
          std::this_thread::sleep_for(100ms);  // no descriptors or memory just now
        }
      }
    });
  }

  bool forget(std::string_view key) {
    const auto found = tokens_.find(key);
    if (found == tokens_.end()) return false;
    if (desk_) desk_->withdraw(found->second);
    Shelf::of_process().take_away(found->second);
    tokens_.erase(found);
    return true;
  }

  const World world_;
  const pid_t pid_ = ::getpid();
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> tokens_;  // by key
  std::unique_ptr<DescriptorDesk> desk_;
  std::thread thread_;
};

DescriptorServer::DescriptorServer(World world) : loop_(std::make_unique<Loop>(std::move(world))) {}
DescriptorServer::~DescriptorServer() = default;
void DescriptorServer::offer(std::string_view key, int fd) { loop_->offer(key, fd); }
void DescriptorServer::withdraw(std::string_view key) { loop_->withdraw(key); }

}  // namespace tutti
