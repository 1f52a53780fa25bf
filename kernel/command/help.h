// Help made from the rows of commands and metrics: for the terminal, for `?name`, as documents.
// Ownership: text is appended to the caller's buffer.
#ifndef PJ_HELP_H
#define PJ_HELP_H

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "metrics/base/buf.h"

enum { PJ_HELP_COLUMNS = 80 };

/// What the program is and its commands, one line each.
void pj_help_overview(pj_buf *out);
/// "popinjay metrics TRACE... [--set SET] ...", without a newline.
void pj_help_usage(const pj_command *command, pj_buf *out);
/// "metrics(TRACE..., [SET], {ref = N, ...})", without a newline.
void pj_help_signature(const pj_command *command, pj_buf *out);
/// All about one command; `session` gives the values of its options and may be NULL.
void pj_help_command(const pj_command *command, const pj_session *session, pj_buf *out);
/// One option: name, sentence, default, valid values.
void pj_help_param(const pj_param *param, const pj_session *session, pj_buf *out);
/// The metric reference in Markdown: every row of every built-in set.
void pj_help_metrics(pj_buf *out);
/// The man page in roff, and completion for bash.
void pj_help_man(pj_buf *out);
/// The variables of the environment, a row of settings.def each.
void pj_help_settings(pj_buf *out);
void pj_help_bash(pj_buf *out);
/// help_topics.c: what is read and written, a row of readers.def each; what low values come from
/// and what to look at next, from the rows of advice, findings, waits and idle devices.
void pj_help_formats(pj_buf *out);
void pj_help_causes(pj_buf *out);
/// An indented heading and what it means, as options have it.
void pj_help_entry(const char *heading, const char *meaning, pj_buf *out);

#endif
