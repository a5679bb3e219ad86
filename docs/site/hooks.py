# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mkdocs calls when it has built the site: makes search work from files, where pages can neither fetch nor start a worker from one."""
import glob
import json
import os

SCRIPT = """__search = {
  index: Promise.resolve(%s),
  worker: URL.createObjectURL(new Blob([%s], {type: "text/javascript"})),
};
"""


def on_post_build(config):
    def read(pattern):
        path, = glob.glob(os.path.join(config["site_dir"], pattern))
        with open(path, encoding="utf-8") as file:
            return file.read()
    script = SCRIPT % (read("search/search_index.json").strip(), json.dumps(read("assets/javascripts/workers/search.*.min.js")))
    with open(os.path.join(config["site_dir"], "search", "from_files.js"), "w", encoding="utf-8") as file:
        file.write(script)
