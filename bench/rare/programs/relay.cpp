// A handover through two atomic cells without locks: each of N carriers puts a parcel into the
// first cell, and its receipt into the second. The office sees a parcel, then looks for a receipt.
#include "rare.hpp"

static std::atomic<int> g_parcel{0};
static std::atomic<int> g_receipt{0};

int main() {
  std::vector<std::thread> carriers = start(N / 2, [](int i) {
    if (kFixed) g_receipt = i + 1;
    g_parcel = i + 1;
    if (!kFixed) g_receipt = i + 1;
  });
  std::vector<std::thread> offices = start(N / 2, [](int) {
    if (g_parcel == 0) return;
    require(g_receipt != 0, "who has a parcel has a receipt");
  });
  join(carriers);
  join(offices);
}
