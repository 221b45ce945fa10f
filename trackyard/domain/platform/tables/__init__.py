"""The one reader of files and of pasted text (docs/spec/platform.md#tables).

Bytes become rows of cells (grids), the first row is recognized as column names or a record (heads), and cells become
values of the types that an import declares (forms). Nothing here does I/O: spreadsheets are unpacked by
`actions/platform/spreadsheets.py`.
"""
