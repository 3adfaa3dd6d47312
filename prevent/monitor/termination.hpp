// While monitors are active, an exception that nobody catches says in which thread it was and what
// the others were waiting for, before the process ends as it would have. Called under the gate's
// lock.
#pragma once

namespace raddle::monitor {

void begin_explaining_termination();
void end_explaining_termination();

}  // namespace raddle::monitor
