#include "cli/report_canvas.hpp"

#include <fmt/format.h>

#include "cli/report_text.hpp"

namespace tutti::report {

void Canvas::box(const Box& box, std::string_view look, double radius, std::string_view title) {
  body_ += fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}")", look,
                       box.x, box.y, box.width, box.height, radius);
  body_ += title.empty() ? "/>" : fmt::format("><title>{}</title></rect>", escaped(title));
}

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view look) {
  body_ += fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", look, x1, y1, x2, y2);
}

void Canvas::path(std::string_view steps, std::string_view look) {
  body_ += fmt::format(R"(<path class="{}" d="{}"/>)", look, steps);
}

void Canvas::text(double x, double y, std::string_view words, std::string_view look, Anchor anchor, std::size_t most) {
  body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}")", x, y);
  if (!look.empty()) body_ += fmt::format(R"( class="{}")", look);
  if (anchor == Anchor::middle) body_ += R"( text-anchor="middle")";
  if (anchor == Anchor::end) body_ += R"( text-anchor="end")";
  body_ += '>' + cut(words, most) + "</text>";
}

std::string Canvas::svg(double width, double height, double least, const std::string& id, const std::string& name,
                        const std::string& description) const {
  return fmt::format(
      R"(<div class="scroll" role="group" tabindex="0" aria-label="{1}"><svg role="img" aria-labelledby="{0}-t {0}-d" )"
      R"(viewBox="0 0 {2:.0f} {3:.0f}" style="min-width:{4:.0f}px;max-width:{5:.0f}px">)"
      "<title id=\"{0}-t\">{1}</title><desc id=\"{0}-d\">{6}</desc>{7}</svg></div>\n",
      id, escaped(name), width, height, least, width * 1.5, escaped(description), body_);
}

}  // namespace tutti::report
