#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <raddle/schedule_doctest.hpp>

#include "suite.hpp"
