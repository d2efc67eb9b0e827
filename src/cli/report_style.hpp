/// @file  The style of a page: light and dark, wide and narrow, screen and paper.
#pragma once

#include <string>

namespace tutti::report {

/// CSS for a <style> element; names nothing outside the page.
std::string style();

}  // namespace tutti::report
