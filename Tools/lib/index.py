"""What the compiler noted of each symbol when it built the package: where it is declared, read, written and called.

The notes are the index store of a build (`.build/debug/index/store`), read by libIndexStore of the toolchain.
The functions and numbers are those of indexstore/indexstore.h, which lies beside the library.
"""
import ctypes
import os
import shutil

DECLARATION, DEFINITION, REFERENCE, READ, WRITE, CALL, IMPLICIT = 1, 2, 4, 8, 16, 32, 256
CHILD_OF, BASE_OF, OVERRIDE_OF, ACCESSOR_OF, EXTENDED_BY = 1 << 9, 1 << 10, 1 << 11, 1 << 15, 1 << 14
KINDS = {
    5: "enum", 6: "struct", 7: "class", 8: "protocol", 9: "extension", 11: "typealias", 12: "function", 13: "variable",
    15: "case", 16: "method", 17: "class method", 18: "static method", 19: "property", 20: "class property",
    21: "static property", 22: "initializer",
}
RECORD = 2


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


Pointer = ctypes.c_void_p
EachText = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Text)
EachPointer = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Pointer)


def library():
    swift = os.path.realpath(shutil.which("swift"))
    name = "libIndexStore.dylib" if os.uname().sysname == "Darwin" else "libIndexStore.so"
    loaded = ctypes.CDLL(os.path.join(os.path.dirname(os.path.dirname(swift)), "lib", name))
    texts = ["unit_reader_get_main_file", "unit_dependency_get_name", "symbol_get_usr", "symbol_get_name"]
    pointers = ["store_create", "unit_reader_create", "record_reader_create", "occurrence_get_symbol",
                "symbol_relation_get_symbol"]
    roles = ["occurrence_get_roles", "symbol_relation_get_roles"]
    for names, kind in [(texts, Text), (pointers, Pointer), (roles, ctypes.c_uint64)]:
        for function in names:
            getattr(loaded, "indexstore_" + function).restype = kind
    return loaded


class Occurrence:
    """One place where a symbol stands: a file under the root, a line and a column from 1, and what it does there."""

    __slots__ = ["file", "line", "column", "roles", "usr", "name", "kind", "relations"]

    def __init__(self, file, line, column, roles, usr, name, kind, relations):
        self.file, self.line, self.column, self.roles = file, line, column, roles
        self.usr, self.name, self.kind, self.relations = usr, name, kind, relations


def occurrences(store, root):
    """Every occurrence in the files under `root`, by file and line. What was noted of files that are gone is left out."""
    index = library()
    error = Pointer()
    opened = Pointer(index.indexstore_store_create(store.encode(), ctypes.byref(error)))
    if not opened:
        raise OSError(f"{store}: there is no index; swift build --build-tests makes it")
    root = os.path.realpath(root) + "/"
    units = []

    def note(_, name):
        units.append(str(name))
        return True

    index.indexstore_store_units_apply_f(opened, 1, None, EachText(note))
    records = {}
    for unit in units:
        reader = Pointer(index.indexstore_unit_reader_create(opened, unit.encode(), ctypes.byref(error)))
        if not reader:
            continue
        file = str(index.indexstore_unit_reader_get_main_file(reader))
        if file.startswith(root) and os.path.exists(file) and not file[len(root):].startswith(".build"):
            path = os.path.join(store, "v5", "units", unit)
            names = []

            def depend(_, dependency):
                dependency = Pointer(dependency)
                if index.indexstore_unit_dependency_get_kind(dependency) == RECORD:
                    names.append(str(index.indexstore_unit_dependency_get_name(dependency)))
                return True

            index.indexstore_unit_reader_dependencies_apply_f(reader, None, EachPointer(depend))
            # A record's name is that of its file and a hash of what it says; a unit names those of other files too.
            own = [name for name in names if name.startswith(os.path.basename(file) + "-")]
            time = os.path.getmtime(path)
            if own and (file not in records or records[file][0] < time):
                records[file] = (time, own)
        index.indexstore_unit_reader_dispose(reader)
    for file, (_, names) in sorted(records.items()):
        for name in names:
            yield from read_record(index, opened, name, file[len(root):])


def read_record(index, store, name, file):
    error = Pointer()
    reader = Pointer(index.indexstore_record_reader_create(store, name.encode(), ctypes.byref(error)))
    if not reader:
        return
    found = []
    line, column = ctypes.c_uint(), ctypes.c_uint()

    def note(_, occurrence):
        occurrence = Pointer(occurrence)
        symbol = Pointer(index.indexstore_occurrence_get_symbol(occurrence))
        index.indexstore_occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
        relations = []

        def relate(_, relation):
            relation = Pointer(relation)
            other = Pointer(index.indexstore_symbol_relation_get_symbol(relation))
            relations.append((index.indexstore_symbol_relation_get_roles(relation),
                              str(index.indexstore_symbol_get_usr(other))))
            return True

        index.indexstore_occurrence_relations_apply_f(occurrence, None, EachPointer(relate))
        found.append(Occurrence(
            file, line.value, column.value, index.indexstore_occurrence_get_roles(occurrence),
            str(index.indexstore_symbol_get_usr(symbol)), str(index.indexstore_symbol_get_name(symbol)),
            KINDS.get(index.indexstore_symbol_get_kind(symbol), "other"), relations))
        return True

    index.indexstore_record_reader_occurrences_apply_f(reader, None, EachPointer(note))
    index.indexstore_record_reader_dispose(reader)
    yield from found
