// How often a program runs, as an option of what counts core-hours. Ownership: plain data.
#ifndef PJ_YEARLY_ARGS_H
#define PJ_YEARLY_ARGS_H

#include "kernel/command/command.h"

/// A group over a double: runs in a year, 0 where it is not given.
extern const pj_param pj_yearly_rows[];

#endif
