/// @file  What a command line means, and what it cannot mean.
#include <string>

#include "catch.hpp"
#include "cli/bench_options.hpp"
#include "cli/says.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::bench;

namespace {

BenchText text_of(const std::string& collective) {
  BenchText text;
  text.collective = collective;
  return text;
}

/// What `parse` says against it; "" when nothing.
std::string refusal(const BenchText& text) {
  try {
    parse(text);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("sizes grow by a factor from the smallest to the largest") {
  BenchText text = text_of("all_reduce");
  text.min = "8";
  text.max = "64M";
  const BenchOptions options = parse(text);
  REQUIRE(options.sizes.size() == 24);
  CHECK(options.sizes.front() == 8);
  CHECK(options.sizes.back() == 64 << 20);
  text.factor = "1.5";
  text.max = "20";
  CHECK(parse(text).sizes == std::vector<std::size_t>{8, 12, 18});
}

TEST_CASE("sizes grow by a step, or are listed") {
  BenchText text = text_of("all_reduce");
  text.min = "0";
  text.max = "64";
  text.step = "32";
  CHECK(parse(text).sizes == std::vector<std::size_t>{0, 32, 64});
  text.sizes = "1M,8,64K";
  CHECK(parse(text).sizes == std::vector<std::size_t>{1 << 20, 8, 64 << 10});
}

TEST_CASE("names of nccl-tests are understood") {
  BenchText text = text_of("all_reduce");
  text.types = "half,bfloat16,float,double,uint8";
  text.operations = "prod";
  const BenchOptions options = parse(text);
  CHECK(options.types == std::vector<DataType>{DataType::float16, DataType::bfloat16, DataType::float32,
                                               DataType::float64, DataType::uint8});
  CHECK(options.operations == std::vector<Op>{Op::product});
  text.operations = "min,max,avg,mulsum";
  CHECK(parse(text).operations == std::vector<Op>{Op::minimum, Op::maximum, Op::average, Op::premultiplied_sum});
}

TEST_CASE("all means every algorithm, type or operation, each once") {
  BenchText text = text_of("all_reduce");
  text.algorithms = "ring,all,ring";
  const BenchOptions options = parse(text);
  CHECK(options.algorithms.size() == 8);
  CHECK(options.algorithms.front() == Algorithm::ring);
  text.types = "all";
  text.operations = "all";
  CHECK(parse(text).types.size() == 14);
  CHECK(parse(text).operations.size() == 9);
}

TEST_CASE("an operation is ignored where nothing is combined") {
  BenchText text = text_of("all_gather");
  text.operations = "sum";
  CHECK(parse(text).operations == std::vector<Op>{Op::none});
}

TEST_CASE("a barrier has one size, and some collectives never work in place") {
  CHECK(parse(text_of("barrier")).sizes == std::vector<std::size_t>{0});
  CHECK(parse(text_of("barrier")).in_place == std::vector<bool>{false});
  CHECK(parse(text_of("sendrecv")).in_place == std::vector<bool>{false});
  CHECK(parse(text_of("all_reduce")).in_place == std::vector<bool>{false, true});
  BenchText text = text_of("all_to_all_v");
  text.in_place = "1";
  CHECK(says(refusal(text), {"does not work in place"}));
}

TEST_CASE("a name that is not there is refused with the nearest one and the whole list") {
  CHECK(says(refusal(text_of("all_reduse")), {"'all_reduse'", "did you mean 'all_reduce'?", "barrier"}));
  BenchText text = text_of("all_reduce");
  text.algorithms = "rings";
  CHECK(says(refusal(text), {"did you mean 'ring'?", "halving_doubling"}));
  text = text_of("all_reduce");
  text.algorithms = "mpi";
  CHECK(says(refusal(text), {"there is no algorithm 'mpi'"}));
  text = text_of("all_reduce");
  text.types = "float31";
  CHECK(says(refusal(text), {"did you mean 'float32'?"}));
  text = text_of("all_reduce");
  text.operations = "som";
  CHECK(says(refusal(text), {"did you mean 'sum'?"}));
  text = text_of("all_reduce");
  text.protocol = "pigeon";
  CHECK(says(refusal(text), {"packet, fifo, window"}));
  text = text_of("all_reduce");
  text.buffers = "mine";
  CHECK(says(refusal(text), {"private, shared"}));
  text = text_of("all_reduce");
  text.peer = "nccl";
  CHECK(says(refusal(text), {"--peer mpi"}));
}

TEST_CASE("what makes no sense is refused, and the option named") {
  const auto with = [](auto change) {
    BenchText text = text_of("all_reduce");
    change(text);
    return refusal(text);
  };
  CHECK(says(with([](BenchText& t) { t.min = "2M", t.max = "1M"; }), {"--min 2M is more than --max 1M"}));
  CHECK(says(with([](BenchText& t) { t.factor = "0"; }), {"--factor '0'"}));
  CHECK(says(with([](BenchText& t) { t.factor = "1"; }), {"--factor '1'"}));
  CHECK(says(with([](BenchText& t) { t.factor = "nan"; }), {"--factor"}));
  CHECK(says(with([](BenchText& t) { t.factor = "2x"; }), {"--factor '2x'"}));
  CHECK(says(with([](BenchText& t) { t.min = "many"; }), {"--min 'many' is not a size"}));
  CHECK(says(with([](BenchText& t) { t.min = "0"; }), {"--min 0"}));
  CHECK(says(with([](BenchText& t) { t.step = "0"; }), {"--step 0"}));
  CHECK(says(with([](BenchText& t) { t.step = "1"; }), {"more than 10000 sizes"}));
  CHECK(says(with([](BenchText& t) { t.sizes = "8,,16"; }), {"--sizes"}));
  CHECK(says(with([](BenchText& t) { t.ranks = -1; }), {"--ranks -1"}));
  CHECK(says(with([](BenchText& t) { t.ranks = 100000; }), {"--ranks 100000"}));
  CHECK(says(with([](BenchText& t) { t.iterations = -5; }), {"-n -5"}));
  CHECK(says(with([](BenchText& t) { t.warm_up = -1; }), {"-w -1"}));
  CHECK(says(with([](BenchText& t) { t.check = 2; }), {"-c 2"}));
  CHECK(says(with([](BenchText& t) { t.seconds = 0; }), {"--seconds 0"}));
  CHECK(says(with([](BenchText& t) { t.in_place = "yes"; }), {"--in-place 'yes'"}));
  CHECK(says(with([](BenchText& t) { t.plot = "bench.jpg"; }), {".svg or .png"}));
}

TEST_CASE("bitwise operations of floats are refused by name, and left out of all") {
  BenchText text = text_of("all_reduce");
  text.operations = "bitwise_and";
  CHECK(says(refusal(text), {"bitwise_and of float32"}));
  text.types = "all";
  CHECK(refusal(text).empty());
  CHECK(unsupported(DataType::float16, Op::bitwise_xor) != nullptr);
  CHECK(unsupported(DataType::int8, Op::bitwise_xor) == nullptr);
}
