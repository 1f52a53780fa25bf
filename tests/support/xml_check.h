// Looks into XML and XHTML: well-formed or not, and what its attributes say. Ownership: borrow.
#ifndef PJ_XML_CHECK_H
#define PJ_XML_CHECK_H

#include "metrics/base/str.h"

/// Whether expat takes the text; prints its complaint to standard error when it does not.
bool pj_xml_good(pj_str text);
/// How many elements have this attribute; how many of this name there are with `attribute` NULL.
size_t pj_xml_count(pj_str text, const char *element, const char *attribute);
/// Whether some attribute of this name or some element's text holds `part`, unescaped.
bool pj_xml_says(pj_str text, const char *attribute, const char *part);

#endif
