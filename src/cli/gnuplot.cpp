#include "cli/gnuplot.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tutti/base/error.hpp"

namespace tutti::cli {

void expect_gnuplot() {
  if (std::system("command -v gnuplot >/dev/null 2>&1") == 0) return;  // NOLINT: a fixed text
  throw Error(Code::unsupported, "--plot needs gnuplot, and there is none",
              {.remedy = "install it (Debian: gnuplot-nox), or leave --plot out"});
}

void expect_picture(const std::string& file) {
  if (file.ends_with(".svg") || file.ends_with(".png")) return;
  throw Error(Code::invalid_argument, fmt::format("--plot '{}' is neither an SVG nor a PNG file", file),
              {.remedy = "end its name in .svg or .png"});
}

std::string gnuplot_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
  return "'" + text + "'";
}

std::string gnuplot_head(const std::string& file, int width, int height) {
  const bool png = file.ends_with(".png");
  return fmt::format("set terminal {} size {},{} font '{}'{}\n", png ? "pngcairo" : "svg", width, height,
                     png ? "Sans,11" : "Helvetica,14", png ? "" : " background '#ffffff'") +
         fmt::format("set output {}\n", gnuplot_text(file)) +
         "set grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.6\nset border 3 lc rgb '#666666'\n"
         "set tics nomirror textcolor rgb '#333333'\n";
}

void run_gnuplot(const std::string& script, const std::string& file, const char* operation) {
  std::FILE* gnuplot = ::popen("gnuplot", "we");
  if (gnuplot == nullptr) throw_errno(Code::resource, "gnuplot cannot be started");
  const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  if (::pclose(gnuplot) != 0 || !written) {
    throw Error(Code::resource, fmt::format("gnuplot could not draw {}", file),
                {.operation = operation, .remedy = "its own words are above"});
  }
}

}  // namespace tutti::cli
