"""From directories to samples: discover files, decompress, recognise, parse, put runs together."""
