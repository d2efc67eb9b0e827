#include "run/trace/rank_trace.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "tutti/base/reduce_op.hpp"

namespace tutti::trace {

namespace {

using Json = nlohmann::json;

constexpr const char* trace_format = "tutti-trace-1";

std::uint64_t from_hex(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) throw Error(Code::invalid_argument, "no number in hex");
  return value;
}

template <class Value>
Value named(std::optional<Value> (*find)(std::string_view) noexcept, const Json& line, const char* key) {
  const auto value = find(line.at(key).get<std::string>());
  if (!value) throw Error(Code::invalid_argument, fmt::format("no {} has this name", key));
  return *value;
}

TraceHead parse_head(const Json& line) {
  if (line.at("format") != trace_format) throw Error(Code::invalid_argument, "another format");
  TraceHead head;
  line.at("rank").get_to(head.rank);
  line.at("ranks").get_to(head.ranks);
  line.at("host").get_to(head.host);
  line.at("job").get_to(head.job);
  head.family = from_hex(line.at("family").get<std::string>());
  line.at("process").get_to(head.process);
  line.at("began").get_to(head.began);
  line.at("offset_ns").get_to(head.offset_ns);
  line.at("error_ns").get_to(head.error_ns);
  if (head.ranks < 1 || head.rank < 0 || head.rank >= head.ranks) throw Error(Code::invalid_argument, "no such rank");
  return head;
}

CallRecord parse_call(const Json& line) {
  CallRecord call;
  line.at("number").get_to(call.number);
  call.communicator = from_hex(line.at("communicator").get<std::string>());
  line.at("rank").get_to(call.rank);
  line.at("size").get_to(call.size);
  line.at("turn").get_to(call.turn);
  call.collective = named(&collective_named, line, "collective");
  call.type = line.at("type") == "user" ? DataType::user : named(&data_type_named, line, "type");
  const std::string op = line.at("op").get<std::string>();
  for (int each = 0; each < op_count; ++each) {
    if (name(static_cast<Op>(each)) == op) call.op = static_cast<Op>(each);
  }
  call.engine = named(&backend_named, line, "engine");
  call.algorithm = named(&algorithm_named, line, "algorithm");
  call.protocol = named(&protocol_named, line, "protocol");
  line.at("element").get_to(call.element_size);
  line.at("root").get_to(call.root);
  line.at("count").get_to(call.count);
  const int error = line.at("error").get<int>();
  if (error < 0 || error > static_cast<int>(Code::internal)) throw Error(Code::invalid_argument, "no such error");
  call.state = error != 0 ? CallState::failed : CallState::done;
  call.code = static_cast<Code>(error);
  line.at("entered").get_to(call.entered);
  line.at("started").get_to(call.started);
  line.at("ended").get_to(call.ended);
  const bool of_nobody = call.communicator == 0;  // one of too many communicators to remember
  if (call.entered < 0 || call.ended < call.entered || (!of_nobody && (call.rank < 0 || call.rank >= call.size))) {
    throw Error(Code::invalid_argument, "times or ranks that cannot be");
  }
  return call;
}

}  // namespace

std::string head_line(const TraceHead& head) {
  const nlohmann::ordered_json line{
      {"format", trace_format},   {"rank", head.rank},   {"ranks", head.ranks},
      {"host", head.host},        {"job", head.job},     {"family", fmt::format("{:016x}", head.family)},
      {"process", head.process},  {"began", head.began}, {"offset_ns", head.offset_ns},
      {"error_ns", head.error_ns}};
  return line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string call_line(const CallRecord& call) {
  return fmt::format(
      "{{\"number\":{},\"communicator\":\"{:016x}\",\"rank\":{},\"size\":{},\"turn\":{},\"collective\":\"{}\",\"type\":"
      "\"{}\","
      "\"op\":\"{}\",\"engine\":\"{}\",\"algorithm\":\"{}\",\"protocol\":\"{}\",\"element\":{},\"root\":{},\"count\":{}"
      ","
      "\"error\":{},\"entered\":{},\"started\":{},\"ended\":{}}}\n",
      call.number, call.communicator, call.rank, call.size, call.turn, name(call.collective), name(call.type),
      name(call.op), name(call.engine), name(call.algorithm), name(call.protocol), call.element_size, call.root,
      call.count, call.state == CallState::failed ? static_cast<int>(call.code) : 0, call.entered, call.started,
      call.ended);
}

std::string end_line(std::uint64_t lost) { return fmt::format("{{\"end\":true,\"lost\":{}}}\n", lost); }

RankTrace parse_rank_trace(std::string_view text, const std::string& file) {
  RankTrace trace;
  trace.cut_short = true;
  bool has_head = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool whole = end != std::string_view::npos;
    text.remove_prefix(whole ? end + 1 : text.size());
    if (line.empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() && has_head) {  // cut: the process was killed, or the disk was full for a while
      if (whole) ++trace.lost;
      continue;
    }
    try {
      if (!has_head) {
        trace.head = parse_head(json);
        has_head = true;
      } else if (json.contains("end")) {
        trace.lost += json.at("lost").get<std::uint64_t>();
        trace.cut_short = false;
      } else {
        trace.calls.push_back(parse_call(json));
      }
    } catch (const std::exception& error) {
      throw Error(Code::invalid_argument, fmt::format("{}: line {} is none of a trace: {}", file, number, error.what()),
                  {.remedy = "give the folder that TUTTI_TRACE named, with nothing changed in it"});
    }
  }
  if (!has_head) {
    throw Error(Code::invalid_argument, fmt::format("{} is empty", file),
                {.remedy = "give the folder that TUTTI_TRACE named, with nothing changed in it"});
  }
  return trace;
}

}  // namespace tutti::trace
