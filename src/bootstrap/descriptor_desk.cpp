#include "bootstrap/descriptor_desk.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "bootstrap/address.hpp"
#include "bootstrap/socket.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t most_visitors = 512;
constexpr auto visit_time = 5s;  // for one request, which takes two short messages

}  // namespace

DescriptorDesk::DescriptorDesk(std::string secret)
    : secret_(std::move(secret)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  auto attempt = listen_at(abstract_address(name_));
  errno = attempt.error;
  if (!attempt.socket || !wake_) throw_errno(Code::resource, "opening a socket for descriptors", "see ulimit -n");
  listener_ = std::move(attempt.socket);
}

void DescriptorDesk::offer(const std::string& token, UniqueFd fd) {
  const std::scoped_lock lock(mutex_);
  offers_[token] = std::move(fd);
}

void DescriptorDesk::withdraw(const std::string& token) {
  const std::scoped_lock lock(mutex_);
  offers_.erase(token);
}

void DescriptorDesk::stop() {
  stopping_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.fd(), &one, sizeof(one));
}

Store::Deadline DescriptorDesk::earliest(Store::Deadline deadline) const {
  for (const Visitor& visitor : visitors_) deadline = std::min(deadline, visitor.until);
  return deadline;
}

int DescriptorDesk::serve(int receivers, Store::Deadline deadline) {
  while (given_ < receivers && !stopping_) {
    std::vector<pollfd> polled = {{wake_.fd(), POLLIN, 0}, {listener_.fd(), POLLIN, 0}};
    for (const Visitor& visitor : visitors_) polled.push_back({visitor.socket.fd(), POLLIN, 0});
    const int count = ::poll(polled.data(), polled.size(), milliseconds_until(earliest(deadline)));
    if (count < 0 && errno != EINTR) throw_errno(Code::network, "poll");
    const auto now = Clock::now();
    for (std::size_t at = 0; count > 0 && at < visitors_.size(); ++at) {
      if (polled[at + 2].revents != 0) attend(visitors_[at]);
    }
    std::erase_if(visitors_, [now](const Visitor& each) { return each.finished || each.until <= now; });
    if (count > 0 && polled[1].revents != 0) let_in();
    if (now >= deadline) break;
  }
  return given_;
}

void DescriptorDesk::let_in() {
  for (;;) {
    auto attempt = accept_from(listener_.fd());
    if (!attempt.socket) {
      if (attempt.error == 0) return;
      if (visitors_.empty()) throw Error(Code::resource, "no file descriptors are left", {.remedy = "see ulimit -n"});
      visitors_.erase(visitors_.begin());
      continue;
    }
    if (peer_user(attempt.socket.fd()) != ::geteuid()) continue;
    if (visitors_.size() >= most_visitors) visitors_.erase(visitors_.begin());
    Visitor visitor{std::move(attempt.socket), random_nonce(), {}, Clock::now() + visit_time};
    if (send_all(visitor.socket.fd(), visitor.nonce, Clock::now()) == SocketResult::done) {
      visitors_.push_back(std::move(visitor));
    }
  }
}

void DescriptorDesk::attend(Visitor& visitor) {
  std::array<std::byte, handover::request_bytes> chunk;
  const std::size_t missing = chunk.size() - visitor.request.size();
  const auto received = ::recv(visitor.socket.fd(), chunk.data(), missing, 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
  visitor.finished = received <= 0 || static_cast<std::size_t>(received) == missing;
  if (received > 0) visitor.request.insert(visitor.request.end(), chunk.begin(), chunk.begin() + received);
  if (visitor.request.size() < chunk.size()) return;
  const auto token = handover::token_in(secret_, visitor.nonce, visitor.request);
  if (!token) return;
  const std::scoped_lock lock(mutex_);
  const auto offer = offers_.find(*token);
  if (offer == offers_.end()) return;
  const auto proof = handover::owner_proof(secret_, visitor.nonce, visitor.request);
  if (handover::send_descriptor(visitor.socket.fd(), proof, offer->second.fd())) ++given_;
}

}  // namespace tutti
