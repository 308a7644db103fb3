// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One kernel that runs any block: its program is data (fusion/opencl/words.def), so a new block
// costs no compilation. A work item takes a range of elements or of rows and walks it in tiles of
// LANES elements; each step is a loop over the lanes. What follows in the source are the cases of
// steps.cl and the end of the loop.

__kernel void run_block(__global uchar* heap, Words launch, __global long* errors) {
  BEGIN_ITEM
  Words code = launch + launch[Header_Code];
  long unit = first;     // the row under way
  long at = 0;           // of the tile's first element in its row; without rows, in everything
  long limit = last;     // where tiles end
  long base_linear = 0;  // of the tile's first element
  int step = 1;          // linear from lane to lane
  int count = LANES;
  const bool sure = false;

  for (long pc = 0;; ++pc) {
    Words it = code + pc * STEP_WORDS;
    const ulong packed = (ulong)it[0];
    const uint op = (uint)(packed & 0xffff);
    const uint d = (uint)(packed >> 16) & 0xffff;
    const uint a = (uint)(packed >> 32) & 0xffff;
    const uint b = (uint)(packed >> 48);
    const long imm = it[1];
    const uint c = (uint)it[2];
    if (op >= LOAD_BASE && op < ACCESS_END) {
      find_places(heap, launch, op < STORE_BASE ? a : b, base_linear, step, count, place, &wrong);
    }
    switch (op) {
      case Control_BeginTiles:
        at = rows ? 0 : first;
        limit = rows ? row : last;
        base_linear = rows ? unit * row : first;
        step = 1;
        count = (int)min((long)LANES, limit - at);
        if (at >= limit) pc = imm - 1;
        break;
      case Control_NextTile:
        at += LANES;
        base_linear += LANES;
        if (at < limit) {
          count = (int)min((long)LANES, limit - at);
          pc = imm - 1;
        }
        break;
      case Control_RowPhase:
        base_linear = unit;
        step = 0;
        count = 1;
        break;
      case Control_NextUnit:
        if (rows && ++unit < last) {
          pc = imm - 1;
          break;
        }
        END_ITEM
        return;
