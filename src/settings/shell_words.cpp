#include "settings/shell_words.hpp"

#include <utility>

namespace tutti::settings {

namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<Word> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (quote_ != '\0') {
        quoted(c);
      } else if (c == '\\') {
        escaped();
      } else if (c == '\'' || c == '"') {
        quote_ = c;
        begin();
      } else if (c == '#' && !inside_) {
        comment();
        continue;
      } else if (c == '\n' || c == ';' || c == '&' || c == '|') {
        end();
        first_ = true;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        end();
      } else {
        begin();
        word_.text += c;
      }
      if (c == '\n') ++line_;
      ++at_;
    }
    end();
    return std::move(words_);
  }

 private:
  void begin() {
    if (!inside_) word_ = {.line = line_, .first = first_};
    inside_ = true;
  }
  void end() {
    if (!inside_) return;
    words_.push_back(std::move(word_));
    word_ = {};
    inside_ = false;
    first_ = false;
  }
  void quoted(char c) {
    if (c == quote_) {
      quote_ = '\0';
    } else if (c == '\\' && quote_ == '"' && at_ + 1 < text_.size()) {
      escaped();
    } else {
      word_.text += c;
    }
  }
  /// A backslash: the line goes on, or the next character stands for itself.
  void escaped() {
    if (text_.substr(at_ + 1).starts_with("\r\n")) ++at_;
    ++at_;
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\n') {
      ++line_;
      return;
    }
    begin();
    word_.text += text_[at_];
  }
  /// Leaves `at_` on the end of the line, or on the words of a directive.
  void comment() {
    for (const std::string_view directive : {"#SBATCH", "#PBS", "#BSUB", "#DSUB"}) {
      if (text_.substr(at_).starts_with(directive)) {
        at_ += directive.size();
        return;
      }
    }
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  char quote_ = '\0';
  bool inside_ = false;
  bool first_ = true;
  Word word_{};
  std::vector<Word> words_{};
};

}  // namespace

std::vector<Word> shell_words(std::string_view text) { return Splitter(text).split(); }

}  // namespace tutti::settings
