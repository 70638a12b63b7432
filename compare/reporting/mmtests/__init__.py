"""What mmtests computes and prints, by the rules of two of its revisions.

The default style and the parsers stay free of these rules. They are reproduced byte for byte, down to the order of
additions, with exceptions where a reader would be misled: an operation that a kernel lacks is ``n/a`` and is never
marked, and one that only another kernel has is shown; a mean of one sample is never marked; a harmonic mean over a
value that isn't positive is ``n/a``; single values of several iterations give their mean, not the best; each row has
its own metric's direction; names of kernels are split as in the default style.

`rules` says what a rule is and has the rows that both revisions share, `rules_2020` and `rules_2026` have what is
special to each, `statistics` and `subselection` the arithmetic. `choice` finds what a report is about, of which
`tables` and `ratios` make what a template places.
"""
