// Paths of requests: inside the folders by their names, and after all links are followed.
#include "kernel/mcp/mcp_folders.h"

#include "kernel/command/value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

bool pj_mcp_folders_open(const pj_texts *given, pj_mcp_folders *out, pj_err *err)
{
    size_t count = given->count ? given->count : 1;
    *out = (pj_mcp_folders){.roots = pj_take_memory(count * sizeof *out->roots)};
    for (size_t i = 0; i < count; i++) {
        const char *path = given->count ? given->items[i] : ".";
        struct stat info;
        char *root = realpath(path, NULL);
        if (!root || stat(root, &info) != 0 || !S_ISDIR(info.st_mode)) {
            free(root);
            pj_mcp_folders_close(out);
            return pj_fail(err, PJ_E_MISSING, path, 0, "mcp: is no folder");
        }
        out->roots[out->count++] = root;
    }
    return true;
}

void pj_mcp_folders_close(pj_mcp_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->roots[i]);
    free(folders->roots);
    *folders = (pj_mcp_folders){0};
}

void pj_mcp_folders_list(const pj_mcp_folders *folders, pj_buf *out)
{
    for (size_t i = 0; i < folders->count; i++)
        pj_buf_addf(out, "%s %s", i ? "," : "", folders->roots[i]);
}

static bool is_inside(const pj_mcp_folders *folders, pj_str path)
{
    for (size_t i = 0; i < folders->count; i++) {
        pj_str root = pj_str_of(folders->roots[i]);
        pj_str below = pj_str_from(path, root.len < path.len ? root.len : path.len);
        bool whole = !below.len || below.at[0] == '/' || root.len == 1; // the last is "/"
        if (pj_str_starts(path, root) && whole)
            return true;
    }
    return false;
}

static bool steps_back(pj_str path)
{
    while (path.len)
        if (pj_str_equal(pj_str_cut(&path, '/'), PJ_S("..")))
            return true;
    return false;
}

static bool refuse(const pj_mcp_folders *folders, const char *path, const char *what, pj_err *err)
{
    pj_auto_buf list = {0};
    pj_mcp_folders_list(folders, &list);
    return pj_fail(err, PJ_E_USAGE, path, 0, "%s the folders that are served:%s", what, list.at);
}

/// What exists only: of other things commands say so.
static bool add(const pj_mcp_folders *folders, const char *path, pj_value *list, pj_err *err)
{
    char *real = realpath(path, NULL);
    bool inside = !real || is_inside(folders, pj_str_of(real));
    free(real);
    if (!inside)
        return refuse(folders, path, "is a link out of", err);
    pj_value_list_add_take(list, pj_value_text(path));
    return true;
}

bool pj_mcp_folders_admit(const pj_mcp_folders *folders, const char *path, pj_value *list,
                          pj_err *err)
{
    pj_auto_buf full = {0};
    glob_t found;
    if (path[0] != '/')
        pj_buf_addf(&full, "%s/", folders->roots[0]);
    pj_buf_puts(&full, path);
    if (steps_back(pj_buf_str(&full)) || !is_inside(folders, pj_buf_str(&full)))
        return refuse(folders, path, "lies outside", err);
    if (!strpbrk(path, "*?[") || glob(full.at, 0, NULL, &found) != 0)
        return add(folders, full.at, list, err);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = add(folders, found.gl_pathv[i], list, err);
    globfree(&found);
    return ok;
}
