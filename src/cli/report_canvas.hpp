/// @file  Canvas: an SVG drawing inside a page. It names classes only; what these look like is the page's style.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::report {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// The row of thing number `i`, where so many stand side by side.
inline double row_of(std::size_t i, std::size_t columns) {
  const std::size_t row = i / columns;
  return static_cast<double>(row);
}
/// The rows that so many things take.
inline double rows_of(std::size_t things, std::size_t columns) { return row_of(things + columns - 1, columns); }

enum class Anchor { start, middle, end };

class Canvas {
 public:
  /// `title`, if any, is what a reader of a screen is told when it comes to the box; it is escaped.
  void box(const Box& box, std::string_view look, double radius = 4, std::string_view title = {});
  void line(double x1, double y1, double x2, double y2, std::string_view look);
  void path(std::string_view steps, std::string_view look);
  /// `words` is escaped, and cut to `most` characters.
  void text(double x, double y, std::string_view words, std::string_view look = {}, Anchor anchor = Anchor::start,
            std::size_t most = 400);
  /// Markup as it is.
  void add(std::string_view markup) { body_ += markup; }

  /// The whole <svg>, so wide in its own units; `least` is the width in pixels below which it is scrolled instead of
  /// shrunk. `id` must be unique in the page and plain; `name` and `description` are escaped.
  std::string svg(double width, double height, double least, const std::string& id, const std::string& name,
                  const std::string& description) const;

 private:
  std::string body_;
};

}  // namespace tutti::report
