// What popinjay install writes: the kernelspec that cmake installs, and settings of Jupyter.
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SPEC "share/jupyter/kernels/popinjay"

static void test_same_kernelspec(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj-install-XXXXXX", command[512], path[256];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, PJ_BINARY_DIR "/bin/popinjay install --prefix %s >/dev/null",
             folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    snprintf(path, sizeof path, "%s/" SPEC "/kernel.json", folder);
    json_t *written = json_load_file(path, 0, NULL);
    json_t *built = json_load_file(PJ_BINARY_DIR "/" SPEC "/kernel.json", 0, NULL);
    assert_non_null(written);
    assert_non_null(built);
    const char *program = json_string_value(json_array_get(json_object_get(written, "argv"), 0));
    assert_string_equal(program, PJ_BINARY_DIR "/bin/popinjay");
    json_array_set_new(json_object_get(written, "argv"), 0,
                       json_string("{resource_dir}/../../../../bin/popinjay"));
    assert_true(json_equal(written, built));
    assert_string_equal(json_string_value(json_object_get(written, "interrupt_mode")), "message");
    json_decref(written);
    json_decref(built);
    static const char *const logos[] = {"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/" SPEC "/%s", folder, logos[i]);
        FILE *logo = fopen(path, "rb");
        assert_non_null(logo);
        fclose(logo);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

/// A tree that holds program and kernelspec may be moved: the path between them stays.
static void test_movable_kernelspec(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj-install-XXXXXX", command[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p a/bin && cp " PJ_BINARY_DIR "/bin/popinjay a/bin && "
             "a/bin/popinjay install --prefix a >/dev/null && mv a b && cd b/" SPEC
             " && grep -q '{resource_dir}/../../../../bin/popinjay' kernel.json && "
             "../../../../bin/popinjay --version >/dev/null && cd / && rm -r %s",
             folder, folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

static int install_into(const char *folder, const char *before)
{
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s && mkdir -p etc/jupyter && %s && " PJ_BINARY_DIR
        "/bin/popinjay install --prefix . >out 2>err && cat etc/jupyter/jupyter_config.py >now",
        folder, before);
    return system(command); // NOLINT(cert-env33-c)
}

static bool says(const char *folder, const char *file, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "grep -qF '%s' %s/%s", text, folder, file);
    return system(command) == 0; // NOLINT(cert-env33-c)
}

/// Settings of Jupyter: made where there are none, made anew where they are ours, else left.
static void settings_of_others_stay(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj-install-XXXXXX", command[512];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(install_into(folder, "true"), 0);
    assert_true(says(folder, "now", "print_vectors"));
    assert_int_equal(install_into(folder, "sed -i 2,99d etc/jupyter/jupyter_config.py"), 0);
    assert_true(says(folder, "now", "print_vectors"));
    assert_false(says(folder, "err", "your own"));
    assert_int_equal(install_into(folder, "echo mine = 1 >etc/jupyter/jupyter_config.py"), 0);
    assert_true(says(folder, "now", "mine = 1"));
    assert_false(says(folder, "now", "print_vectors"));
    assert_true(says(folder, "err", "is your own and stays"));
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_kernelspec),
                                       cmocka_unit_test(test_movable_kernelspec),
                                       cmocka_unit_test(settings_of_others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
