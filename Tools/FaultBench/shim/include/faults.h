// Stands between a program and the C library (LD_PRELOAD), and plays a disk that loses power or fails.
//
// What counts are files below one folder; locks of LMDB are no data and are passed over. A *step* is a write, a change of
// a length, a change of a name, or a flush. What was written since the last flush of its file is remembered with what
// stood there before. At the step that GROUNDWAVE_FAULTS_CUT names the power goes: each such write is kept, dropped, or
// torn between sectors of 512 bytes, as a seeded coin says; lengths follow; names that were changed since the last flush
// of their folder go back, the latest first; then the process kills itself. A write through a descriptor with O_DSYNC or
// O_SYNC is a write and its own flush: LMDB writes its meta page so, and that is its moment of commit. Real flushes are
// not made, so the folder may lie in memory.
//
// | GROUNDWAVE_FAULTS_… | |
// |---|---|
// | FOLDER | the folder that counts; nothing happens without it |
// | ASIDE | an empty folder on the same file system, for files whose name was taken from them |
// | BOOT | a file that is read in the place of the kernel's name of this start of the machine |
// | SEED | of the coin |
// | CUT | the step of the cut; "end": when the process ends, which a cut that is never reached does too; none: no cut |
// | REPORT | a file that gets one line for the cut |
// | STEPS | a file that gets a line for each step, when the process ends |
// | FAIL | what fails: read, write, flush, length, name or open |
// | AT, COUNT | the number of the first such call that fails, from 1, and how many fail |
// | ERROR | the errno, or 0 for a write that is cut short |
// | FORGET | 1: a flush that fails forgets some of what it was to write, as Linux does, though reads still show it |
// | AFTER | with FAIL: cut so many steps after the first failure |
#pragma once

/// 1: the shim is there. It has no other interface.
int groundwave_faults_loaded(void);
