"""The gate: may a kernel pass? It decides on the rows of a comparison by a policy, and says why."""
