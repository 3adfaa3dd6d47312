// Where the files stand that the program has open when its executions begin. Executions share these
// files with the process that they are forked from or put back to; so the position is put back for
// each. Standard streams are the host's business.
#pragma once

namespace raddle {

void note_positions();      // by the server, once
void put_back_positions();  // before each execution

}  // namespace raddle
