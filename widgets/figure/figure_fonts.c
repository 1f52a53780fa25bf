// Fonts that lie beside the module, where it was unpacked with its libraries: they are found
// without a configuration of the system, next to those of the system.
#include "metrics/base/buf.h"

#include <dlfcn.h>
#include <fontconfig/fontconfig.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char module_marker;

/// "libraries/fonts" beside the module; false where there is none.
static bool own_fonts(pj_buf *out)
{
    Dl_info self;
    if (!dladdr(&module_marker, &self) || !self.dli_fname)
        return false;
    const char *slash = strrchr(self.dli_fname, '/');
    pj_buf_addf(out, "%.*s/libraries/fonts", slash ? (int)(slash - self.dli_fname) : 1,
                slash ? self.dli_fname : ".");
    return access(out->at, R_OK) == 0;
}

/// Versions of fontconfig understand configurations of their own time: that of the system is left
/// alone unless somebody names one.
__attribute__((constructor)) static void bring_fonts(void)
{
    static const char format[] = "<fontconfig><dir>%s</dir><dir>/usr/share/fonts</dir>"
                                 "<dir>/usr/local/share/fonts</dir><dir prefix=\"xdg\">fonts</dir>"
                                 "<cachedir prefix=\"xdg\">fontconfig</cachedir></fontconfig>";
    pj_auto_buf folder = {0}, text = {0};
    if (getenv("FONTCONFIG_FILE") || !own_fonts(&folder))
        return;
    pj_buf_addf(&text, format, folder.at);
    FcConfig *config = FcConfigCreate();
    if (FcConfigParseAndLoadFromMemory(config, (const FcChar8 *)text.at, FcFalse) &&
        FcConfigBuildFonts(config))
        FcConfigSetCurrent(config);
    FcConfigDestroy(config);
}
