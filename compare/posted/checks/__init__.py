"""What can be checked in a posted table: one module for each kind of arithmetic."""
