/// @file  Fixtures with random damage: each is read, or refused with an Error, and what was read can be written.
#include <random>
#include <vector>

#include "catch.hpp"
#include "fixtures.hpp"
#include "topology/nccl_log.hpp"
#include "tutti/topology/cluster_file.hpp"
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
    switch (below(8)) {
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
        text[at] = "<>\"'&0-9/=:,xf[]|\t\n{}X"[below(22)];
        break;
      case 4:
        text.replace(at, 1, std::to_string(random()));
        break;
      case 5: {  // a line twice
        const auto begin = text.rfind('\n', at);
        const auto start = begin == std::string::npos ? 0 : begin + 1;
        text.insert(start, text.substr(start, text.find('\n', start) - start) + "\n");
        break;
      }
      case 6: {  // a line gone
        const auto begin = text.rfind('\n', at);
        const auto start = begin == std::string::npos ? 0 : begin + 1;
        text.erase(start, text.find('\n', start) - start);
        break;
      }
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
  int not_clusters = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture_path(""))) {
    const auto name = entry.path().filename().string();
    const auto whole = fixture(name);
    const Topology sound = from_text(whole, name);
    for (int i = 0; i < 300; ++i) {
      const auto text = damaged(whole, random);
      INFO(text);
      logged_channels(text);
      try {
        cluster_from_text(text, name);
      } catch (const Error&) {
        ++not_clusters;
      }
      try {
        const Topology topology = from_text(text, name);
        ++read;
        CHECK(deserialise(serialise(topology)) == topology);
        CHECK_NOTHROW(to_text(topology));
        CHECK_NOTHROW(to_dot(topology));
        if (topology.hosts().size() == 1 && sound.hosts().size() == 1) {
          CHECK_NOTHROW(combine(std::vector{topology, sound}, true));
        }
        to_nccl_xml(topology);  // may refuse, with an Error
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  CHECK(read > 100);
  CHECK(refused > 100);
  CHECK(not_clusters > 100);
}
