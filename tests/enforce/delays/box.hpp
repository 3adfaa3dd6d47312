#pragma once

struct Box {
  void get() { ++gets; }
  void put() { ++puts; }
  int gets = 0;
  int puts = 0;
};
