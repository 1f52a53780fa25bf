// expat with three small handlers.
#include "tests/support/xml_check.h"

#include "metrics/base/buf.h"

#include <expat.h>
#include <stdio.h>

typedef struct look {
    const char *element, *attribute, *part;
    size_t count;
    bool found;
    pj_buf text;
} look;

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    look *l = context;
    bool named = !l->element || strcmp(name, l->element) == 0;
    if (named && l->element && !l->attribute)
        l->count++;
    for (size_t i = 0; attributes[i]; i += 2) {
        if (!l->attribute || strcmp(attributes[i], l->attribute) != 0)
            continue;
        l->count += named;
        l->found = l->found || (l->part && strstr(attributes[i + 1], l->part));
    }
}

static void on_text(void *context, const XML_Char *text, int len)
{
    look *l = context;
    if (l->part)
        pj_buf_add(&l->text, (pj_str){text, (size_t)len});
}

static bool parse(pj_str text, look *l)
{
    XML_Parser parser = XML_ParserCreate("UTF-8");
    XML_SetUserData(parser, l);
    XML_SetElementHandler(parser, on_start, NULL);
    XML_SetCharacterDataHandler(parser, on_text);
    bool good = XML_Parse(parser, text.at, (int)text.len, 1) == XML_STATUS_OK;
    if (!good)
        fprintf(stderr, "line %lu: %s\n", (unsigned long)XML_GetCurrentLineNumber(parser),
                XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
    return good;
}

bool pj_xml_good(pj_str text)
{
    look l = {0};
    return parse(text, &l);
}

size_t pj_xml_count(pj_str text, const char *element, const char *attribute)
{
    look l = {.element = element, .attribute = attribute};
    return parse(text, &l) ? l.count : 0;
}

bool pj_xml_says(pj_str text, const char *attribute, const char *part)
{
    look l = {.attribute = attribute, .part = part};
    bool good = parse(text, &l);
    bool said = l.found || (!attribute && l.text.at && strstr(l.text.at, part));
    pj_buf_free(&l.text);
    return good && said;
}
