#include "target/carrier/carrier.hpp"

namespace raddle {
namespace {

Carrier* g_carrier;

}  // namespace

Carrier& carrier() { return *g_carrier; }

void use_carrier(CarrierKind kind) {
  g_carrier = kind == CarrierKind::kFiber ? &fiber_carrier() : &kernel_carrier();
}

}  // namespace raddle
