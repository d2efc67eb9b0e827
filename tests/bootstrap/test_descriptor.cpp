/// @file  Descriptors travel between ranks, to whom they are meant and to nobody else, and none is ever leaked.
#include "tutti/bootstrap/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/un.h>

#include <atomic>
#include <map>

#include "bootstrap/address.hpp"
#include "bootstrap/handover.hpp"
#include "bootstrap/helpers.hpp"
#include "bootstrap/socket.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace helpers;
using tutti::Code;
using tutti::text_of;
using tutti::UniqueFd;
using tutti::World;

namespace {

// A memfd of one page that begins with `number`.
UniqueFd memory_with(int number) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  require(fd && ::ftruncate(fd.fd(), 4096) == 0, "a memfd");
  require(::pwrite(fd.fd(), &number, sizeof(number), 0) == sizeof(number), "written");
  return fd;
}

int number_in(int fd) {
  int number = -1;
  require(::pread(fd, &number, sizeof(number), 0) == sizeof(number), "read");
  return number;
}

// Ranks that are threads of this process but behave as processes do: descriptors go over sockets.
std::vector<World> worlds_over_sockets(int size, const std::string& secret = {}) {
  auto worlds = tutti::worlds_in_process(size);
  for (auto& world : worlds) {
    world.one_process = false;
    world.secret = secret;
  }
  return worlds;
}

std::vector<World> some_worlds(int size) {
  const auto kind = GENERATE("threads", "sockets", "sockets with a secret");
  INFO(kind);
  if (kind == std::string("threads")) return tutti::worlds_in_process(size);
  return worlds_over_sockets(size, kind == std::string("sockets") ? "" : "a secret");
}

const World& at(const std::vector<World>& worlds, int rank) { return worlds[static_cast<std::size_t>(rank)]; }

// The name that the owner of a shared descriptor listens at.
tutti::handover::Ticket ticket_of(const World& world, const std::string& key) {
  return tutti::handover::decode(text_of(world.store->wait("descriptor/" + key, in(10s))));
}

}  // namespace

TEST_CASE("every receiver gets the owner's file, closed on exec, and the owner keeps its own") {
  const auto worlds = some_worlds(5);
  const auto before = open_descriptors();
  {
    const auto fd = memory_with(42);
    on_threads(5, [&](int rank) {
      if (rank == 0) {
        share_descriptor(at(worlds, 0), "arena", fd.fd(), 4, in(20s));
      } else {
        const auto mine = receive_descriptor(at(worlds, rank), "arena", in(20s));
        require(mine.fd() != fd.fd() && number_in(mine.fd()) == 42, "the same file by another number");
        require((::fcntl(mine.fd(), F_GETFD) & FD_CLOEXEC) != 0, "closed on exec");
      }
    });
    CHECK(number_in(fd.fd()) == 42);
    CHECK_FALSE(worlds[0].store->get("descriptor/arena"));
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("ranks of one process never touch a socket for a descriptor") {
  const auto worlds = tutti::worlds_in_process(2);
  const auto fd = memory_with(1);
  on_threads(2, [&](int rank) {
    if (rank == 0) return share_descriptor(at(worlds, 0), "arena", fd.fd(), 1, in(20s));
    require(ticket_of(at(worlds, 1), "arena").name.empty(), "no socket's name");
    receive_descriptor(at(worlds, 1), "arena", in(20s));
  });
}

TEST_CASE("real processes pass a memfd and see one another's writes") {
  const auto place = "unix:" + fresh_name("processes");
  CHECK(in_processes(4, [&](int rank) {
          const auto world = tutti::from_environment(tutti::environment_of({{"TUTTI_RANK", std::to_string(rank)},
                                                                            {"TUTTI_WORLD_SIZE", "4"},
                                                                            {"TUTTI_STORE", place},
                                                                            {"TUTTI_SECRET", "a secret"},
                                                                            {"TUTTI_TIMEOUT", "20s"}}));
          const auto before = open_descriptors();
          {
            UniqueFd fd;
            if (rank == 0) {
              fd = memory_with(7);
              share_descriptor(world, "arena", fd.fd(), 3, world.deadline());
            } else {
              fd = receive_descriptor(world, "arena", world.deadline());
            }
            void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd.fd(), 0);
            require(memory != MAP_FAILED, "mapped");
            auto* numbers = static_cast<std::atomic<int>*>(memory);
            require(numbers[0] == 7, "the owner's number");
            ++numbers[1];
            while (numbers[1] < 4) std::this_thread::yield();
            world.store->add("finished", 1);
            while (rank == 0 && world.store->add("finished", 0) < 4) std::this_thread::sleep_for(1ms);
            ::munmap(memory, 4096);
          }
          // Rank 0 also serves the store: the others' connections close as they end.
          require(open_descriptors() <= before, "no descriptor is left");
        }).empty());
}

TEST_CASE("a server hands many descriptors to many ranks, whenever they ask, until it takes them back") {
  const auto worlds = some_worlds(4);
  const auto before = open_descriptors();
  {
    tutti::DescriptorServer server(worlds[0]);
    for (int number = 0; number < 5; ++number) {
      server.offer("buffer " + std::to_string(number), memory_with(number).fd());
    }
    on_threads(4, [&](int rank) {
      for (int turn = 0; turn < 20; ++turn) {
        const int number = (rank + turn) % 5;
        const auto fd = receive_descriptor(at(worlds, rank), "buffer " + std::to_string(number), in(20s));
        require(number_in(fd.fd()) == number, "the right file");
      }
    });
    server.offer("buffer 1", memory_with(100).fd());
    CHECK(number_in(receive_descriptor(worlds[2], "buffer 1", in(20s)).fd()) == 100);
    server.withdraw("buffer 1");
    CHECK(error_of([&] { receive_descriptor(worlds[2], "buffer 1", in(20ms)); }).code() == Code::timeout);
  }
  CHECK(error_of([&] { receive_descriptor(worlds[1], "buffer 2", in(20s)); }).code() == Code::peer_lost);
  CHECK(open_descriptors() == before);
}

TEST_CASE("without receivers or without an owner both sides end at their deadline, and leak nothing") {
  const auto worlds = some_worlds(3);
  const auto before = open_descriptors();
  {
    const auto fd = memory_with(1);
    const auto alone = error_of([&] { share_descriptor(worlds[0], "arena", fd.fd(), 2, in(50ms)); });
    CHECK(alone.code() == Code::timeout);
    CHECK(says(alone, "rank 0: sharing descriptor \"arena\": 0 of 2 receivers have come"));
    const auto nobody = error_of([&] { receive_descriptor(worlds[1], "other", in(50ms)); });
    CHECK(nobody.code() == Code::timeout);
    CHECK(says(nobody, "rank 1: receiving descriptor \"other\""));
    on_threads(2, [&](int rank) {
      if (rank == 1) {
        receive_descriptor(at(worlds, 1), "half", in(20s));
      } else {
        try {
          share_descriptor(worlds[0], "half", fd.fd(), 2, in(300ms));
          require(false, "one is missing");
        } catch (const tutti::Error& error) {
          require(std::string(error.what()).find("1 of 2 receivers have come") != std::string::npos, "one came");
        }
      }
    });
    share_descriptor(worlds[0], "nobody wants it", fd.fd(), 0, in(0s));
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("who does not know the secret gets no descriptor, and the others are not held up") {
  auto worlds = worlds_over_sockets(3, "right");
  worlds[2].secret = "wrong";
  const auto before = open_descriptors();
  std::optional<tutti::Error> refused;
  {
    const auto fd = memory_with(9);
    on_threads(3, [&](int rank) {
      if (rank == 0) {
        // Those who have the right secret come after the one who has not.
        share_descriptor(worlds[0], "arena", fd.fd(), 1, in(20s));
      } else if (rank == 2) {
        try {
          receive_descriptor(worlds[2], "arena", in(20s));
        } catch (const tutti::Error& error) {
          refused = error;
        }
        worlds[2].store->set("refused", "");
      } else {
        worlds[1].store->wait("refused", in(20s));
        require(number_in(receive_descriptor(worlds[1], "arena", in(20s)).fd()) == 9, "the file");
      }
    });
  }
  REQUIRE(refused);
  CHECK(refused->code() == Code::peer_lost);
  CHECK(says(*refused, "another secret"));
  CHECK(open_descriptors() == before);
}

TEST_CASE("strangers at the owner's socket are nobody's harm: silent, garbage, replayed, and many") {
  const auto worlds = worlds_over_sockets(2);
  const auto before = open_descriptors();
  {
    const auto fd = memory_with(5);
    on_threads(2, [&](int rank) {
      if (rank == 0) return share_descriptor(worlds[0], "arena", fd.fd(), 1, in(30s));
      const auto ticket = ticket_of(worlds[1], "arena");
      const auto address = tutti::abstract_address(ticket.name);
      std::vector<UniqueFd> silent;
      for (int number = 0; number < 100; ++number) silent.push_back(tutti::connect_to(address, in(5s)).socket);
      // A request made for the nonce of another connection.
      tutti::Nonce nonce{};
      require(tutti::receive_all(silent[0].fd(), nonce, in(5s)) == tutti::SocketResult::done, "a nonce");
      const auto recorded = tutti::handover::request("", nonce, tutti::random_nonce(), ticket.token);
      for (int number = 1; number < 50; ++number) {
        const int socket = silent[static_cast<std::size_t>(number)].fd();
        require(tutti::receive_all(socket, nonce, in(5s)) == tutti::SocketResult::done, "a nonce");
        if (number % 2 == 0) {
          tutti::send_all(socket, recorded, in(5s));
        } else {
          tutti::send_all(socket, std::vector<std::byte>(1000, std::byte{0x5a}), in(5s));
        }
        std::byte answer{};
        require(tutti::receive_all(socket, {&answer, 1}, in(5s)) == tutti::SocketResult::closed, "refused");
      }
      require(number_in(receive_descriptor(worlds[1], "arena", in(20s)).fd()) == 5, "the file");
    });
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("an owner that does not know the secret is unmasked, and what it sent is closed") {
  auto worlds = worlds_over_sockets(2, "right");
  const auto before = open_descriptors();
  {
    const auto fd = memory_with(3);
    const std::string name = "fd-" + tutti::random_name();
    const auto listener = tutti::listen_at(tutti::abstract_address(name)).socket;
    worlds[0].store->set("descriptor/arena",
                         tutti::handover::encode({.name = name, .token = tutti::random_name(), .receivers = 1}));
    std::thread liar([&] {
      require(tutti::ready(listener.fd(), POLLIN, in(10s)), "a visitor");
      const auto visitor = tutti::accept_from(listener.fd()).socket;
      tutti::send_all(visitor.fd(), tutti::random_nonce(), in(10s));
      std::vector<std::byte> request(tutti::handover::request_bytes);
      tutti::receive_all(visitor.fd(), request, in(10s));
      tutti::handover::send_descriptor(visitor.fd(), tutti::Proof{}, fd.fd());
    });
    const auto error = error_of([&] { receive_descriptor(worlds[1], "arena", in(10s)); });
    liar.join();
    CHECK(error.code() == Code::bootstrap);
    CHECK(says(error, "does not know the job's secret"));
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("a receiver without descriptors left says so") {
  const auto place = "unix:" + fresh_name("crowded");
  CHECK(in_processes(2, [&](int rank) {
          const auto world = tutti::from_environment(tutti::environment_of({{"TUTTI_RANK", std::to_string(rank)},
                                                                            {"TUTTI_WORLD_SIZE", "2"},
                                                                            {"TUTTI_STORE", place},
                                                                            {"TUTTI_TIMEOUT", "20s"}}));
          if (rank == 0) return share_descriptor(world, "arena", 0, 1, world.deadline());
          // Room for the socket, not for what it brings.
          const auto next = tutti::duplicate(0);
          const rlimit limit{static_cast<rlim_t>(next.fd()) + 2, static_cast<rlim_t>(next.fd()) + 2};
          require(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "a limit");
          try {
            receive_descriptor(world, "arena", world.deadline());
          } catch (const tutti::Error& error) {
            require(error.code() == Code::resource, "the code");
            return;
          }
          require(false, "an error");
        }).empty());
}
