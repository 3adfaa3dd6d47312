#define CATCH_CONFIG_MAIN
#include <raddle/schedule_catch2.hpp>

#include "suite.hpp"
