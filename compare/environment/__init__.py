"""What differs beside the kernel: files that describe the machine, read into facts and compared.

`kinds` recognises such a file and reads it, `dmesg` finds what went wrong in a kernel log, `differences` puts the
facts of each kernel together and compares them, `collect` writes such files on the machine that runs a benchmark.
"""
