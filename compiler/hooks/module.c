/* The state that all instrumented modules of a process share, and this module's entry in its list.
 *
 * Every module defines the state, weakly and with default visibility, and the dynamic linker binds
 * all of them to the first. A static program has its state too, which no runtime ever fills in. */
#include "compiler/hooks/hooks.h"

#define HIDDEN_WEAK __attribute__((visibility("hidden"), weak))

__attribute__((weak, visibility("default"))) RaddleState __raddle_state = {
    .version = RADDLE_STATE_VERSION,
};

/* The linker defines these, from the names of the sections. */
extern RaddleSite __start_raddle_sites[] HIDDEN_WEAK;
extern RaddleSite __stop_raddle_sites[] HIDDEN_WEAK;
extern const char __start_raddle_hooks[] HIDDEN_WEAK;
extern const char __stop_raddle_hooks[] HIDDEN_WEAK;
extern const int32_t __start_raddle_tellers[] HIDDEN_WEAK;
extern const int32_t __stop_raddle_tellers[] HIDDEN_WEAK;

RaddleModule __raddle_module;

__attribute__((constructor(101))) HOOKS_SECTION static void link_module(void) {
  RaddleModule* own = &__raddle_module;
  own->sites_begin = __start_raddle_sites;
  own->sites_end = __stop_raddle_sites;
  own->hooks_begin = __start_raddle_hooks;
  own->hooks_end = __stop_raddle_hooks;
  own->tellers_begin = __start_raddle_tellers;
  own->tellers_end = __stop_raddle_tellers;
  own->next = __raddle_state.modules;
  __raddle_state.modules = own;
}

__attribute__((destructor(101))) HOOKS_SECTION static void unlink_module(void) {
  RaddleModule** link = &__raddle_state.modules;
  while (*link && *link != &__raddle_module) link = &(*link)->next;
  if (*link) *link = (*link)->next;
}
