"""The arithmetic of a comparison: pure functions over arrays that know no frame, no kernel and no file."""
