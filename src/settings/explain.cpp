#include <fmt/format.h>

#include "base/infiniband_time.hpp"
#include "settings/value.hpp"
#include "tutti/base/units.hpp"

namespace tutti::settings {

namespace {

std::string seconds(double value) {
  if (value < 1e-3) return fmt::format("{:.3g} us", value * 1e6);
  if (value < 1) return fmt::format("{:.3g} ms", value * 1e3);
  if (value < 600) return fmt::format("{:.3g} s", value);
  return fmt::format("{:.3g} min", value / 60);
}

std::string explain_timeout(long exponent, const Settings& others) {
  if (exponent == 0) return "0 is without end: a lost packet is never noticed";
  const long retries = whole_number(others.value("NCCL_IB_RETRY_CNT").value_or("7")).value_or(7);
  return fmt::format(
      "4.096 us x 2^{} = {} until a packet is sent again, and about {} until error 12, sent {} times; "
      "the default since 2.23 is 20: {}",
      exponent, ack_timeout(exponent), seconds(give_up_seconds(exponent, retries)), most_sends(retries),
      ack_timeout(20));
}

std::string explain_threshold(long bytes, const Settings& others) {
  const auto routing = others.value("NCCL_IB_ADAPTIVE_ROUTING");
  std::string text = bytes == 0 ? "with adaptive routing every message is a plain write and an empty one that notifies"
                                : fmt::format(
                                      "with adaptive routing, messages above {} are a plain write and an "
                                      "empty one that notifies",
                                      format_bytes(static_cast<std::size_t>(bytes)));
  text += bytes < 8192 ? "; the default is 8192, below which one write does both" : "; the default is 8192";
  if (!routing) {
    text +=
        ". Adaptive routing is on by itself on InfiniBand only: on RoCE it has no effect without "
        "NCCL_IB_ADAPTIVE_ROUTING=1";
  }
  return text;
}

}  // namespace

std::string ack_timeout(long exponent) { return exponent > 0 ? seconds(acknowledge_seconds(exponent)) : "no time-out"; }

std::optional<std::string> explain_value(const Variable& variable, const std::string& value, const Settings& others) {
  const auto number = whole_number(value);
  if (!number || *number < 0) return {};
  if (variable.name == "NCCL_IB_TIMEOUT" && *number <= 31) return explain_timeout(*number, others);
  if (variable.name == "NCCL_IB_AR_THRESHOLD") return explain_threshold(*number, others);
  if ((variable.name == "NCCL_IB_TC" || variable.name == "NCCL_IB_FIFO_TC" ||
       variable.name == "UCX_IB_TRAFFIC_CLASS") &&
      *number <= 255) {
    return fmt::format("on RoCE this is DSCP {}{}; switches must sort that into a lossless class", *number / 4,
                       *number % 4 == 0 ? "" : " and two bits that the network sets itself (use a multiple of 4)");
  }
  if (variable.name == "NCCL_BUFFSIZE") {
    return fmt::format("{} of slots for each channel and peer; the default is 4 MiB",
                       format_bytes(static_cast<std::size_t>(*number)));
  }
  return {};
}

}  // namespace tutti::settings
