"""Tables that people posted: found in mails and texts, read with their numbers as printed, and checked."""
