/// @file  The main function of every test executable, compiled once.
#if __has_include(<catch2/catch_all.hpp>)
// Version 3 brings its own.
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
