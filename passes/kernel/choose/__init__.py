"""Which schedule a kernel gets for a target: decided here by rules, each of which is a remark.

`cpu` and `gpu` have the rules of a kind of target. Here is what both have: a schedule is tried and
taken back as a whole (`attempt`); what a sum of products is (`products`); expressions that stand
for ranges (`places`); and what was found by measuring, which `tuned` keeps and `apply_tuned`
replays.
"""
