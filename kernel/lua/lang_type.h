// Types of objects in the command language, as kinds of values name them. Ownership: constants.
#ifndef PJ_LANG_TYPE_H
#define PJ_LANG_TYPE_H

typedef struct pj_lang_type pj_lang_type;

extern const pj_lang_type pj_lang_type_run, pj_lang_type_runs, pj_lang_type_table,
    pj_lang_type_metrics, pj_lang_type_picture, pj_lang_type_profile, pj_lang_type_score;

#endif
