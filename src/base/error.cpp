#include "tutti/base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace tutti {

const char* name(Code code) noexcept {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::mismatch:
      return "mismatch";
    case Code::unsupported:
      return "unsupported";
    case Code::timeout:
      return "timeout";
    case Code::peer_lost:
      return "peer_lost";
    case Code::aborted:
      return "aborted";
    case Code::bootstrap:
      return "bootstrap";
    case Code::resource:
      return "resource";
    case Code::network:
      return "network";
    case Code::internal:
      return "internal";
  }
  return "unknown";
}

namespace {

std::string message(Code code, const std::string& reason, const Context& context, Where where) {
  std::string text;
  if (context.rank >= 0) text += fmt::format("rank {}: ", context.rank);
  if (!context.operation.empty()) {
    text += context.operation;
    if (!context.engine.empty()) text += " on " + context.engine;
    text += ": ";
  } else if (!context.engine.empty()) {
    text += context.engine + ": ";
  }
  if (context.peer >= 0) text += fmt::format("peer {}: ", context.peer);
  text += reason;
  if (!context.remedy.empty()) text += "; " + context.remedy;
  const std::string_view path = where.file;
  return fmt::format("{} [{}, {}:{}]", text, name(code), path.substr(path.find_last_of('/') + 1), where.line);
}

}  // namespace

Error::Error(Code code, const std::string& what, Context context, Where where)
    : std::runtime_error(message(code, what, context, where)),
      code_(code),
      reason_(what),
      context_(std::move(context)),
      where_(where) {}

Error Error::with(const Context& more) const {
  Context merged = context_;
  if (merged.rank < 0) merged.rank = more.rank;
  if (merged.operation.empty()) merged.operation = more.operation;
  if (merged.engine.empty()) merged.engine = more.engine;
  if (merged.peer < 0) merged.peer = more.peer;
  if (merged.remedy.empty()) merged.remedy = more.remedy;
  return Error(code_, reason_, merged, where_);
}

void throw_errno(Code code, const std::string& what, const std::string& remedy, Where where) {
  const std::string cause = std::system_category().message(errno);
  throw Error(code, what + ": " + cause, Context{.remedy = remedy}, where);
}

}  // namespace tutti
