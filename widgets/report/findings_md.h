// What the numbers of a result say about a topic, as Markdown: the prose of reports. Cells ask for
// it, so that it follows a change of set, runs or region. Ownership: text is appended to the
// caller's buffer.
#ifndef PJ_FINDINGS_MD_H
#define PJ_FINDINGS_MD_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"

/// "summary", "communication", ...; NULL past the end.
const char *pj_findings_md_topic(size_t index);
/// About the run with most threads. `found`: its faults as pj_faults_table has them, with which the
/// summary begins; NULL = not known. Fails with PJ_E_USAGE, naming all topics.
PJ_CHECKED bool pj_findings_md(const pj_metrics *metrics, pj_str topic, const pj_table *found,
                               pj_buf *out, pj_err *err);
/// Whether the set has rows about the topic that have a value in that run; up to `most` of them go
/// to `rows` (may be NULL). Their number is returned; 0 for an unknown topic.
size_t pj_findings_md_rows(const pj_metrics *metrics, pj_str topic, size_t *rows, size_t most);

#endif
