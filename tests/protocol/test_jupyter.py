"""The public conformance suite of Jupyter kernels, with samples for every test it has."""
import unittest

import jupyter_kernel_test


class PopinjayTests(jupyter_kernel_test.KernelTests):
    kernel_name = "popinjay"
    language_name = "lua"
    file_extension = ".lua"
    code_hello_world = "print 'hello, world'"
    code_stderr = "io.stderr:write 'an error'"
    completion_samples = [
        {"text": "tostr", "matches": {"tostring"}},
        {"text": "string.for", "matches": {"format"}},
        {"text": "metr", "matches": {"metrics"}},
    ]
    complete_code_samples = ["x = 1", "print 'hello'", "function foo() end", "1 + 1"]
    incomplete_code_samples = ["function foo(", "for i = 1, 3 do", "x = {", "s = [["]
    invalid_code_samples = ["x = = 1", "end", "1 +* 2"]
    code_page_something = "?metrics"
    code_generate_error = "error 'as asked'"
    code_execute_result = [
        {"code": "1 + 2", "result": "3"},
        {"code": "'a' .. 'b'", "result": "ab"},
        {"code": "6 * 7", "result": "42"},
    ]
    code_display_data = [{"code": "display(1)", "mime": "text/plain"}]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "1?+*"
    code_inspect_sample = "print"
    code_clear_output = "clear_output()"


if __name__ == "__main__":
    unittest.main()
