// One group of probes per file; probe.c runs them all.
#ifndef PJ_PROBE_H
#define PJ_PROBE_H

#include "tests/protocol/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int probe_execute(void);
int probe_output(void);
int probe_requests(void);
int probe_stdin(void);
int probe_control(void);
int probe_transport(void);
int probe_malformed(void);
int probe_subshell(void);
int probe_capture(void);
int probe_load(void);
int probe_hostile(void);
int probe_any(void);
int probe_widget(void);

/// A call of a library that never returns, which nobody can interrupt.
#define PROBE_STUCK "package.loadlib('" PJ_STUCK "', 'stuck')()"

/// Fixtures: `*state` is a client with a fresh kernel.
int probe_set_up(void **state);
int probe_tear_down(void **state);

#define PROBE(function) cmocka_unit_test_setup_teardown(function, probe_set_up, probe_tear_down)

#endif
