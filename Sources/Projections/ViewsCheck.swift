import EventLog
import LMDB

extension Views {
    /// Whether a page or a row of the views at `path` is not what was written; looked at page by page, without liblmdb.
    ///
    /// Views that are not there are not damaged. Cost: O(bytes).
    public static func areDamaged(at path: String) -> Bool {
        do {
            return try !PageCheck.everything(of: path) { table, key, value in
                switch table {
                case "records", "unread", "blocks", "cells": (try? CheckedRow.check(key, value)) != nil
                case "index": (try? CheckedRow.checkEntry(key, value)) != nil
                case "meta": (try? CheckedRow.open(value.toArray())) != nil
                default: true
                }
            }.isEmpty
        } catch { return false }
    }
}
