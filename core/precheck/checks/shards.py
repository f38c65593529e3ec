"""Whether the nodes of each side share the files out without a gap and without reading any twice."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import Message, Parameter
from core.precheck.checks.missing import without
from core.precheck.checks.phrases import first_ones
from core.precheck.dataset.file_items import shard_items
from core.precheck.dataset.name_folding import pair_names
from core.precheck.dataset.shards import Duplicated, shard_faults
from core.precheck.dataset.side_lists import joined, lists_of, shards_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.records.evidence import Place, Shard
from core.records.precheck import Outcome


def shards(pair: Pair) -> Finding:
    """Check that each side reads every file on exactly one node, and that both spread their files alike.

    A list of all files, of either side, shows those that neither side reads.
    """
    target, golden = shards_of(pair.target), shards_of(pair.golden)
    if not (target and golden):
        return without("shards", target=bool(target), golden=bool(golden))
    found = shard_faults(target, golden, _whole(pair, target))
    used = _shard_places(pair.target), _shard_places(pair.golden)
    items = shard_items(found, Place(used[0][0]), Place(used[1][0]))
    unseen = () if found.whole_known else (Message("precheck.dataset.shards.whole_unknown"),)
    if found.clean:
        facts: dict[str, Parameter] = {
            "nodes": len(target),
            "files": sum(len(shard.files) for shard in target),
        }
        return Finding(Outcome.PASS, Message("precheck.dataset.shards.pass", facts), items, unseen, *used)
    remarks = (_faults("golden", found.golden_duplicated, found.golden_never_read),)
    golden_too = bool(found.golden_duplicated or found.golden_never_read)
    mine = _faults("target", found.target_duplicated, found.target_never_read)
    if found.target_duplicated or found.target_never_read:
        return Finding(Outcome.FAIL, mine, items, remarks if golden_too else (), *used)
    if golden_too:
        return Finding(Outcome.FAIL, remarks[0], items, (), *used)
    message = Message("precheck.dataset.shards.otherwise", {"nodes": len(found.otherwise)})
    return Finding(Outcome.FAIL, message, items, (), *used)


def _faults(side: str, twice: Sequence[Duplicated], never: Sequence[str]) -> Message:
    facts = {"duplicated": first_ones([found.name for found in twice]), "never_read": first_ones(never)}
    kind = "both" if twice and never else "duplicated" if twice else "never_read"
    return Message(f"precheck.dataset.shards.{side}.{kind}", facts)


def _whole(pair: Pair, target: Sequence[Shard]) -> Sequence[str]:
    """Return all files, of a list that is of this data set: it has most of what the nodes read."""
    read = list(dict.fromkeys(name for shard in target for name in shard.files))
    for side in (pair.target, pair.golden):
        whole = joined(lists_of(side))
        if whole is not None and 2 * len(pair_names(read, whole.names).golden_of) > len(read):
            return whole.names
    return ()


def _shard_places(side: Side) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.path for item in side.evidence if item.shards))
