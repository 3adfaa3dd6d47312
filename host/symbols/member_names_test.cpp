#include "host/symbols/member_names.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(MemberNames, WhatOnlyTheLibraryNamesIsLeftOut) {
  EXPECT_EQ(without_library_members("box.items._M_impl._M_start"), "box.items");
  EXPECT_EQ(without_library_members("pool.head_.head_"), "pool.head_");
  EXPECT_EQ(without_library_members("Account::balance_"), "Account::balance_");
  EXPECT_EQ(without_library_members("state.lock.held_.lock.held_"), "state.lock.held_");
  EXPECT_EQ(without_library_members("a.b.a.c"), "a.b.a.c");
}

TEST(MemberNames, AClassOfTheLibraryKeepsItsName) {
  EXPECT_EQ(without_library_members("std::_List_node_base::_M_next"), "std::_List_node_base");
  EXPECT_EQ(without_library_members("std::string::_M_string_length"), "std::string");
}

}  // namespace
}  // namespace raddle
