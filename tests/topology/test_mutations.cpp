/// @file  Fixtures with random damage: each is read, or refused with an Error, and what was read can be written.
#include <random>
#include <vector>

#include "catch.hpp"
#include "fixtures.hpp"
#include "topology/reader.hpp"
#include "tutti/topology/combine.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (std::size_t times = 1 + below(4); times > 0 && !text.empty(); --times) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(text.size() - at, 1 + below(40));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text[at] = "<>\"'&0-9/=:,xf"[below(14)];
        break;
      case 4:
        text.replace(at, 1, std::to_string(random()));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("damaged files are read or refused, never worse") {
  std::mt19937 random(20'26);
  int read = 0;
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture_path(""))) {
    const auto name = entry.path().filename().string();
    const auto whole = fixture(name);
    const Topology sound = from_text(whole, name);
    for (int i = 0; i < 300; ++i) {
      const auto text = damaged(whole, random);
      INFO(text);
      try {
        const Topology topology = from_text(text, name);
        ++read;
        CHECK(deserialise(serialise(topology)) == topology);
        CHECK_NOTHROW(to_text(topology));
        CHECK_NOTHROW(to_dot(topology));
        if (topology.hosts().size() == 1 && sound.hosts().size() == 1) {
          CHECK_NOTHROW(combine(std::vector{topology, sound}));
        }
        to_nccl_xml(topology);  // may refuse, with an Error
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}
