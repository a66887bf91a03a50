"""Who did what when: steps, collectives, the ledger, and the artifacts derived from them."""
