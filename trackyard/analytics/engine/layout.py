"""The place of the tables of the analytic store: one engine, or the machines of a ClickHouse cluster.

On a cluster each table has two: the rows are in `click_local`, a ReplicatedMergeTree on every machine, and `click` is
Distributed over them. Statements name `click`; the sharding key keeps a click and its conversions on one shard. The
statements about tables are made here, so that other code is the same for both (docs/spec/engine.md#clickhouse-cluster).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

LOCAL_SUFFIX: Final = "_local"
"""The end of the names of tables with rows, on a cluster."""

_CLUSTER_SETTINGS: Final[Mapping[str, Any]] = {
    # A load is acknowledged when most replicas have it.
    "insert_quorum": "auto",
    # A subquery reads the rows of every shard, wherever the rows of the outer query are.
    "distributed_product_mode": "global",
    # A change of tables is done when every machine did it; erasures ask other tables which rows they empty.
    "alter_sync": 2,
    "allow_nondeterministic_mutations": 1,
    "distributed_ddl_task_timeout": 180,
}
_REPLICATED_WINDOW: Final = "replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800"


@dataclass(frozen=True, slots=True)
class StoreLayout:
    """The place of tables. cluster: its name in the servers' configuration, "" = one engine."""

    cluster: str = ""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings of sessions that this layout needs."""
        return _CLUSTER_SETTINGS if self.cluster else {}

    @property
    def on_cluster(self) -> str:
        """Return the clause of statements that every machine runs, with a space before it."""
        return f" ON CLUSTER `{self.cluster}`" if self.cluster else ""

    def stored_table(self, table: str) -> str:
        """Return the name of the table that has the rows of `table`."""
        return f"{table}{LOCAL_SUFFIX}" if self.cluster else table

    def every_replica(self, table: str) -> str:
        """Return the FROM source of a table's rows: on a cluster, the rows of each replica that answers.

        A row that one replica has not received yet is found on another one. Rows come once from each replica.
        """
        if not self.cluster:
            return f"`{table}`"
        stored = f"clusterAllReplicas('{self.cluster}', currentDatabase(), '{self.stored_table(table)}')"
        return f"(SELECT * FROM {stored} SETTINGS skip_unavailable_shards = 1)"

    def create_table(self, table: str, structure: str, keys: str, settings: str, shard_by: str) -> list[str]:
        """Return the statements that create a table.

        structure: columns, indexes and projections. keys: from PARTITION BY to ORDER BY. settings: of a MergeTree.
        shard_by: the SQL of the number that chooses the shard of a row.
        """
        of_table = f"\n{keys}\nSETTINGS {settings}"
        if not self.cluster:
            return [f"CREATE TABLE IF NOT EXISTS `{table}` (\n  {structure}\n)\nENGINE = MergeTree{of_table}"]
        stored = self.stored_table(table)
        return [
            f"CREATE TABLE IF NOT EXISTS `{stored}`{self.on_cluster} (\n  {structure}\n)\n"
            "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')"
            f"{of_table}, {_REPLICATED_WINDOW}",
            f"CREATE TABLE IF NOT EXISTS `{table}`{self.on_cluster} AS `{stored}`\n"
            f"ENGINE = Distributed('{self.cluster}', currentDatabase(), '{stored}', {shard_by})",
        ]

    def drop_table(self, table: str) -> list[str]:
        """Return the statements that remove a table. They wait for running reads, and free its disk space."""
        names = (table, self.stored_table(table)) if self.cluster else (table,)
        return [f"DROP TABLE IF EXISTS `{name}`{self.on_cluster} SYNC" for name in names]

    def exchange_tables(self, one: str, other: str) -> str:
        """Return the statement that exchanges the rows of two tables."""
        return f"EXCHANGE TABLES `{self.stored_table(one)}` AND `{self.stored_table(other)}`{self.on_cluster}"

    def alter_table(self, table: str, change: str) -> str:
        """Return the statement that changes the table with the rows of `table`."""
        return f"ALTER TABLE `{self.stored_table(table)}`{self.on_cluster} {change}"

    def add_column(self, table: str, name: str, kind: str) -> list[str]:
        """Return the statements that add a missing column, which has the default of its type in older rows."""
        added = f"ADD COLUMN IF NOT EXISTS `{name}` {kind}"
        stored = self.alter_table(table, f"{added} CODEC(ZSTD(1))")
        return [stored, f"ALTER TABLE `{table}`{self.on_cluster} {added}"] if self.cluster else [stored]

    def kill_mutation(self, table: str, mutation: str) -> str:
        """Return the statement that ends a mutation of the table with the rows of `table`."""
        return (
            f"KILL MUTATION{self.on_cluster} WHERE database = currentDatabase() "
            f"AND table = '{self.stored_table(table)}' AND mutation_id = '{mutation}'"
        )

    def kill_query(self, comment: str) -> str:
        """Return the statement that ends the statements with a comment."""
        return f"KILL QUERY{self.on_cluster} WHERE Settings['log_comment'] = '{comment}' ASYNC"

    def system_table(self, name: str, *, every_replica: bool = False) -> str:
        """Return a table of the engine about itself, of one replica of each shard or of every one."""
        if not self.cluster:
            return f"system.{name}"
        return f"{'clusterAllReplicas' if every_replica else 'cluster'}('{self.cluster}', system.{name})"
