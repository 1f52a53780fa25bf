// Widgets by comm id and in order of opening, and whose they are.
#include "widgets/ipy/widget_record.h"

#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { FIRST_BUCKETS = 64, ID_SIZE = 33 };

bool pj_widgets_echo(const char *text, pj_dialect dialect)
{
    static const char *const off[] = {"no", "n", "false", "off", "0", "0.0"};
    if (!text)
        return dialect == PJ_WIDGETS_8;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (strcasecmp(text, off[i]) == 0)
            return false;
    return true;
}

static char *copy_text(const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(pj_take_memory(size), text, size);
}

/// 32 hexadecimal digits: ids outlive the kernel in saved notebooks, so they must not repeat.
static char *new_id(const pj_widgets *widgets)
{
    uint64_t words[2];
    if (getentropy(words, sizeof words) != 0) { // a kernel without random numbers
        words[0] = pj_clock_of_day();
        words[1] = (uintptr_t)widgets + widgets->count;
    }
    char *id = pj_take_memory(ID_SIZE);
    snprintf(id, ID_SIZE, "%016" PRIx64 "%016" PRIx64, words[0], words[1]);
    return id;
}

static size_t bucket_of(const pj_widgets *widgets, const char *id)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const char *c = id; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return (size_t)hash & (widgets->bucket_count - 1);
}

static pj_widget **new_buckets(size_t count)
{
    pj_widget **buckets = pj_take_memory(count * sizeof *buckets);
    memset((void *)buckets, 0, count * sizeof *buckets);
    return buckets;
}

static void put_in_bucket(pj_widget *widget)
{
    pj_widget **bucket = &widget->home->buckets[bucket_of(widget->home, widget->id)];
    widget->in_bucket = *bucket;
    *bucket = widget;
}

static void grow_buckets(pj_widgets *widgets)
{
    pj_widget **old = widgets->buckets;
    size_t count = widgets->bucket_count;
    widgets->bucket_count = count * 2;
    widgets->buckets = new_buckets(widgets->bucket_count);
    for (size_t i = 0; i < count; i++)
        for (pj_widget *widget = old[i], *next; widget; widget = next) {
            next = widget->in_bucket;
            put_in_bucket(widget);
        }
    free((void *)old);
}

pj_widgets *pj_widgets_new(pj_widgets_opts opts)
{
    pj_widgets *widgets = pj_take_memory(sizeof *widgets);
    *widgets = (pj_widgets){.opts = opts, .bucket_count = FIRST_BUCKETS};
    widgets->buckets = new_buckets(FIRST_BUCKETS);
    widgets->controls = json_array();
    return widgets;
}

static void free_widget(pj_widget *widget)
{
    pj_widget_end_watches(widget);
    for (size_t i = 0; i < widget->model->trait_count; i++)
        json_decref(widget->values[i]);
    free((void *)widget->values);
    free(widget->watchers);
    free(widget->owner);
    free(widget->id);
    free(widget);
}

void pj_widgets_free(pj_widgets *widgets)
{
    if (!widgets)
        return;
    for (pj_widget *widget = widgets->first, *next; widget; widget = next) {
        next = widget->after;
        free_widget(widget);
    }
    free((void *)widgets->buckets);
    free(widgets->bonds);
    free(widgets->owner);
    json_decref(widgets->controls);
    free(widgets);
}

pj_dialect pj_widgets_dialect(const pj_widgets *widgets)
{
    return widgets->opts.dialect;
}

size_t pj_widgets_count(const pj_widgets *widgets)
{
    return widgets->count;
}

pj_widget *pj_widgets_find(const pj_widgets *widgets, const char *id)
{
    pj_widget *widget = widgets->buckets[bucket_of(widgets, id)];
    while (widget && strcmp(widget->id, id) != 0)
        widget = widget->in_bucket;
    return widget;
}

pj_widget *pj_widgets_next(const pj_widgets *widgets, const pj_widget *widget)
{
    pj_widget *next = widget ? widget->after : widgets->first;
    while (next && next->closed)
        next = next->after;
    return next;
}

pj_widget *pj_widgets_add(pj_widgets *widgets, const pj_model *model, const char *id)
{
    pj_widget *widget = pj_take_memory(sizeof *widget);
    *widget = (pj_widget){.home = widgets, .model = model};
    widget->id = id ? copy_text(id) : new_id(widgets);
    widget->owner = copy_text(widgets->owner);
    size_t size = model->trait_count * sizeof *widget->values;
    widget->values = pj_take_memory(size);
    memset((void *)widget->values, 0, size);
    if (widgets->count >= widgets->bucket_count)
        grow_buckets(widgets);
    put_in_bucket(widget);
    widgets->count++;
    return widget;
}

void pj_widgets_append(pj_widget *widget)
{
    pj_widgets *widgets = widget->home;
    widget->before = widgets->last;
    if (widgets->last)
        widgets->last->after = widget;
    else
        widgets->first = widget;
    widgets->last = widget;
}

static bool in_order(const pj_widget *widget)
{
    return widget->before || widget->home->first == widget;
}

void pj_widgets_remove(pj_widget *widget)
{
    pj_widgets *widgets = widget->home;
    pj_widget **link = &widgets->buckets[bucket_of(widgets, widget->id)];
    while (*link != widget)
        link = &(*link)->in_bucket;
    *link = widget->in_bucket;
    if (in_order(widget)) {
        *(widget->before ? &widget->before->after : &widgets->first) = widget->after;
        *(widget->after ? &widget->after->before : &widgets->last) = widget->before;
    }
    widgets->count--;
    widget->closed = true;
    widget->in_bucket = widgets->closed;
    widgets->closed = widget;
}

void pj_widgets_enter(pj_widgets *widgets)
{
    widgets->busy++;
}

static void forget_ended_bonds(pj_widgets *widgets)
{
    size_t kept = 0;
    for (size_t i = 0; i < widgets->bond_count; i++)
        if (widgets->bonds[i].number)
            widgets->bonds[kept++] = widgets->bonds[i];
    widgets->bond_count = kept;
}

void pj_widgets_leave(pj_widgets *widgets)
{
    if (--widgets->busy)
        return;
    forget_ended_bonds(widgets);
    for (pj_widget *widget = widgets->closed, *next; widget; widget = next) {
        next = widget->in_bucket;
        free_widget(widget);
    }
    widgets->closed = NULL;
}

void pj_widgets_own(pj_widgets *widgets, const char *owner)
{
    char *copy = copy_text(owner);
    free(widgets->owner);
    widgets->owner = copy;
}

const char *pj_widget_id(const pj_widget *widget)
{
    return widget->id;
}

const pj_model *pj_widget_model(const pj_widget *widget)
{
    return widget->model;
}

const char *pj_widget_owner(const pj_widget *widget)
{
    return widget->owner;
}

json_t *pj_widget_reference(const pj_widget *widget)
{
    return json_sprintf("IPY_MODEL_%s", widget->id);
}
