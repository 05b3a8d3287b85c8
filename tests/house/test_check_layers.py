#!/usr/bin/python3
"""The layer check must refuse what it promises to refuse."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_layers.py")


class LayerCheck(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)

    def test_an_arrow_is_allowed(self):
        done = self.run_on({"engine/base/a.h": "", "engine/work/b.h": '#include "engine/base/a.h"\n'})
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_arrow_back_is_refused(self):
        done = self.run_on({"engine/work/b.h": "", "engine/base/a.h": '#include "engine/work/b.h"\n'})
        self.assertEqual(done.returncode, 1)
        self.assertIn("engine/base may not include engine/work", done.stdout)

    def test_the_server_never_includes_the_agent(self):
        done = self.run_on({"engine/agent/b.h": "", "server/api/a.cpp": '#include "engine/agent/b.h"\n'})
        self.assertEqual(done.returncode, 1)

    def test_libtorch_outside_its_room_is_refused(self):
        done = self.run_on({"engine/model/a.cpp": "#include <ATen/ATen.h>\n"})
        self.assertEqual(done.returncode, 1)

    def test_an_empty_tree_is_no_success(self):
        self.assertEqual(self.run_on({"README.md": ""}).returncode, 1)


if __name__ == "__main__":
    unittest.main()
