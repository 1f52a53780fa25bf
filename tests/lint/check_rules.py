"""check_rules.py: every rule speaks up on a bad sample and is silent on a good one."""

import os
import sys
import tempfile

import rules

NOUN = ("// A noun.\n#ifndef PJ_NOUN_H\n#define PJ_NOUN_H\ntypedef struct pj_noun pj_noun;\n"
        "int pj_noun_count(const pj_noun *noun);\n#endif\n")

GOOD = {
    "README.md": "# Tree: kernel, metrics\n",
    "metrics/README.md": "# Metrics: base/, read/\n",
    "metrics/base/README.md": "# Base\n",
    "metrics/base/noun.h": NOUN,
    "metrics/base/noun_record.h": "// Inside.\n#ifndef PJ_NOUN_RECORD_H\n#define PJ_NOUN_RECORD_H\n"
                                  '#include "metrics/base/noun.h"\nstruct pj_noun {\n    int x;\n};\n#endif\n',
    "metrics/base/noun.c": '// A noun.\n#include "metrics/base/noun.h"\n#include <zlib.h>\n'
                           'int f(void)\n{\n    return g("printf(");\n}\n',
    "metrics/read/README.md": "# Formats: prv/\n",
    "metrics/read/prv/README.md": "# Paraver\n",
    "metrics/read/prv/prv_scan.h": "// A part of it.\n#ifndef PJ_PRV_SCAN_H\n#endif\n",
    "metrics/read/prv/prv_reader.c": '// A format.\n#include "metrics/read/prv/prv_scan.h"\n',
    "kernel/README.md": "# Kernel: lua/\n",
    "kernel/lua/README.md": "# Lua\n",
    "kernel/lua/lang.c": '// Lua.\n#include <lua.h>\n#include "metrics/base/noun.h"\n',
}

# Rule: samples that it must find, each laid over the good tree.
BAD = {
    "includes": [{"metrics/base/noun.c": '// A noun.\n#include "kernel/lua/lang.c"\n'},
                 {"metrics/base/noun.c": '// A noun.\n#include "noun.h"\n'},
                 {"metrics/read/otf2/otf2.c": '// Another.\n#include "metrics/read/prv/prv_scan.h"\n'}],
    "formats": [{"metrics/read/readers.def": "// Rows.\nREADER(tau)\nREADER(ppk)\n",
                 "metrics/read/profile/tau_names.h": "// Names.\n",
                 "metrics/read/profile/tau/ppk.c":
                     '// Reader.\n#include "metrics/read/profile/tau_names.h"\n'}],
    "declarations": [{"metrics/base/other.h": NOUN.replace("NOUN_H", "OTHER_H")}],
    "checked": [{"metrics/base/noun.h": NOUN.replace("noun *noun);", "noun *noun, pj_err *err);")}],
    "headers": [{"kernel/lua/lang.c": "// Lua.\nint f(pj_noun *n)\n{\n    return n->x;\n}\n"}],
    "libraries": [{"kernel/main.c": "// Main.\n#include <lua.h>\n"},
                  {"metrics/base/noun.c": "// A noun.\n#include <sys/mman.h>\n"},
                  {"kernel/lua/lang.c": "// Lua.\n#include <zmq.h>\n"}],
    "calls": [{"kernel/main.c": "// Main.\nint f(void)\n{\n    return pthread_create(0);\n}\n"},
              {"metrics/base/noun.c": '// A noun.\nvoid f(void)\n{\n    printf("x");\n}\n'},
              {"kernel/main.c": "// Main.\nint f(char *s)\n{\n    return atoi(s);\n}\n"}],
    "names": [{"kernel/noun.c": "// Again.\n"}, {"kernel/text_util.c": "// A drawer.\n"}],
    "lengths": [{"kernel/long.c": "// Long.\n" + "int x;\n" * 900}],
    "rooms": [{f"kernel/noun_{i}.c": "// One more.\n" for i in range(28)}],
    "readmes": [{"metrics/table/fold.c": "// Folds.\n"}, {"kernel/README.md": "# K\n" * 61},
                {"README.md": "# T\n" * 201}],
    "tours": [{"kernel/cli/README.md": "# Shell\n"}],
    "openings": [{"kernel/main.c": "int x;\n"}, {"kernel/face.h": "// Face.\n#ifndef FACE\n"}],
    "characters": [{"kernel/main.c": "// Main \u2013 dash.\n"}, {"kernel/main.c": "// M.\n\tint x;\n"},
                   {"kernel/main.c": "// M.\nint x; \n"}],
    "leftovers": [{"kernel/main.c": "// Main.\n// TO" "DO later\n"},
                  {"README.md": "See /ro" "ot/x for more.\n"}],
}


def lay(top, files):
    for name, text in files.items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)


def findings(files):
    with tempfile.TemporaryDirectory() as top:
        lay(top, files)
        tree = rules.Tree(top)
        return {rule.__name__: list(rule(tree)) for rule in rules.RULES}


def main():
    wrong = [f"{rule}: finds {found} in a good tree"
             for rule, found in findings(GOOD).items() if found]
    for rule, samples in BAD.items():
        for sample in samples:
            if not findings({**GOOD, **sample})[rule]:
                wrong.append(f"{rule}: overlooks {sample}")
    wrong += [f"{rule.__name__}: has no bad sample" for rule in rules.RULES
              if rule.__name__ not in BAD]
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    print(f"{'fail' if wrong else 'pass'}\tlint\tthe rules themselves")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
