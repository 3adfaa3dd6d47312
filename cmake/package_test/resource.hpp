#pragma once

struct Resource {
  int users = 0;
  void enter() { ++users; }
  void leave() { --users; }
};
