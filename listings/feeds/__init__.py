"""Reading company feeds: bytes become rows, rows become checked values. Pure, no database.

`encoding` and `records` read the file, `header` recognises its columns, `prices`, `moments`,
`lookup` and `texts` each understand one kind of cell, `rows` checks a whole row, `survey`
learns what only the whole file can tell, and `feed` puts them together.
"""
