"""What the products show to an application, from the compiler's symbol graphs of a build.

A product shows the public symbols of the modules that its Exports.swift exports whole, of the types that it exports by name,
and of the other products that it exports. Paths are those of the tree in the present folder.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

PRODUCTS = ["Groundwave", "GroundwaveLogbook", "GroundwaveMeters", "GroundwaveNetwork", "GroundwaveObjectStore", "GroundwaveSQLite",
            "GroundwaveTesting"]


def folder(module):
    return "Sources/" + (module if module == "Groundwave" else module.removeprefix("Groundwave"))


def exports(product):
    """The modules that a product exports whole, itself included; the types by module that it exports by name; other products."""
    whole, named, products = [product], collections.defaultdict(set), []
    path = f"{folder(product)}/Exports.swift"
    text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    for kind, name in re.findall(r"^@_exported import (?:(\w+) )?([\w.]+)$", text, re.M):
        if kind:
            module, of = name.split(".")
            named[module].add(of)
        else:
            (products if name in PRODUCTS else whole).append(name)
    return whole, named, products


class Graphs:
    """The symbol graphs of the modules of one build, each read once."""

    def __init__(self, build):
        self.build, self.known = build, {}
        maps = ["Sources/*", f"{build}/Groundwave*.build", f"{build}/CNIO*.build"]
        maps += [f"{build}/../../checkouts/*/Sources/*{inside}" for inside in ("", "/include")]
        self.maps = [path for place in maps for path in glob.glob(f"{place}/module.modulemap")]
        self.target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["triple"]

    def of(self, module):
        """The graphs of a module: its own, and one for each module whose types it extends."""
        if module not in self.known:
            with tempfile.TemporaryDirectory() as into:
                self.known[module] = self.extract(module, into)
        return self.known[module]

    def extract(self, module, into):
        command = ["swift", "symbolgraph-extract", "-module-name", module, "-target", self.target, "-I", f"{self.build}/Modules"]
        command += [word for path in self.maps for word in ("-Xcc", f"-fmodule-map-file={path}")]
        command += ["-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", into]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"error: {module}: {done.stderr.strip() or done.stdout.strip()}")
        graphs = []
        for path in sorted(glob.glob(f"{into}/{module}.symbols.json") + glob.glob(f"{into}/{module}@*.symbols.json")):
            with open(path, encoding="utf-8") as file:
                graphs.append(json.load(file))
        return graphs

    def own(self, product):
        """The symbols that a product shows besides those of other products."""
        whole, named, _ = exports(product)
        for module in whole + sorted(named):
            for graph in self.of(module):
                for symbol in graph["symbols"]:
                    # Members may be written in another module than the type.
                    if module in whole or symbol["pathComponents"][0] in named[module]:
                        yield symbol

    def merged(self, product):
        """One graph with everything that a product shows, as of one module that is called like the product."""
        modules, symbols, waiting = set(), {}, [product]
        while waiting:
            one = waiting.pop()
            whole, named, products = exports(one)
            modules.update(whole, named)
            waiting += products
            symbols |= {symbol["identifier"]["precise"]: symbol for symbol in self.own(one)}
        graphs = [graph for module in sorted(modules) for graph in self.of(module)]
        # What a type is or has that its product does not show, such as a protocol of ours, is left out.
        relationships = [
            relation for graph in graphs for relation in graph["relationships"]
            if relation["source"] in symbols
            and (relation["target"] in symbols or not relation.get("targetFallback", "Groundwave").startswith("Groundwave"))
        ]
        module = {**graphs[0]["module"], "name": product}
        return {**graphs[0], "module": module, "symbols": list(symbols.values()), "relationships": relationships}
