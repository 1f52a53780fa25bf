// Types of objects in the command language, as kinds of values name them. Ownership: constants.
#ifndef PJ_LANG_TYPE_H
#define PJ_LANG_TYPE_H

typedef struct pj_lang_type pj_lang_type;

#define PLAIN(kind, name)
#define VALUE(kind, name) extern const pj_lang_type pj_lang_type_##name;
#include "kernel/command/values.def"
#undef PLAIN
#undef VALUE

#endif
