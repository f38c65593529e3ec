"""Whose words the names of a document are, and which documents hold no settings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.formats.evidence.documents.nodes import Leaf, Node, Row, Table
from core.records.evidence import Dialect

_TELLING: tuple[tuple[Dialect, frozenset[str]], ...] = (
    (
        Dialect.MINDFORMERS,
        frozenset(("runner_config", "parallel_config", "runner_wrapper", "lr_schedule", "moe_config",
                   "use_parallel", "recompute_config", "train_dataset_task", "run_mode", "register_path")),
    ),
    (
        Dialect.DEEPSPEED,
        frozenset(("train_micro_batch_size_per_gpu", "zero_optimization", "train_batch_size",
                   "gradient_clipping", "steps_per_print", "wall_clock_breakdown",
                   "zero_allow_untested_optimizer", "data_types", "prescale_gradients",
                   "communication_data_type", "amp", "flops_profiler", "activation_checkpointing",
                   "zero_force_ds_cpu_optimizer", "bfloat16")),
    ),
    (
        Dialect.MODEL,
        frozenset(("architectures", "model_type", "transformers_version", "torch_dtype", "vocab_size",
                   "rms_norm_eps", "num_hidden_layers", "initializer_range", "tie_word_embeddings",
                   "auto_map", "n_embd", "n_layer", "bos_token_id", "intermediate_size",
                   "max_position_embeddings")),
    ),
    (
        Dialect.LAUNCHER,
        frozenset(("compute_environment", "distributed_type", "num_machines", "num_processes", "machine_rank",
                   "main_training_function", "same_network", "rdzv_backend", "fsdp_config", "nproc_per_node",
                   "nnodes", "master_port", "master_addr", "node_rank", "worker_num", "local_worker_num")),
    ),
    (
        Dialect.HUGGING_FACE,
        frozenset(("per_device_train_batch_size", "per_device_eval_batch_size", "gradient_accumulation_steps",
                   "lr_scheduler_type", "model_name_or_path", "num_train_epochs", "finetuning_type",
                   "output_dir", "max_grad_norm", "logging_steps", "warmup_ratio", "do_train", "cutoff_len",
                   "overwrite_output_dir", "dataset_name", "gradient_checkpointing", "save_steps",
                   "report_to", "preprocessing_num_workers", "log_history", "max_steps",
                   "is_hyper_param_search", "attn_implementation", "template", "save_strategy", "adam_beta1",
                   "adam_beta2", "ddp_timeout", "deepspeed", "block_size", "max_seq_length", "flash_attn")),
    ),
    (
        Dialect.MEGATRON,
        frozenset(("tensor_model_parallel_size", "pipeline_model_parallel_size", "micro_batch_size",
                   "num_layers", "global_batch_size", "seq_length", "num_attention_heads", "ffn_hidden_size",
                   "lr_decay_style", "lr_warmup_fraction", "lr_warmup_iters", "clip_grad", "train_iters",
                   "lr_decay_iters", "use_flash_attn", "use_mcore_models", "attention_dropout",
                   "hidden_dropout", "init_method_std", "no_load_optim", "no_load_rng", "tokenizer_type",
                   "use_distributed_optimizer", "sequence_parallel", "untie_embeddings_and_output_weights",
                   "swiglu", "min_lr", "num_layers_per_virtual_pipeline_stage", "context_parallel_size",
                   "data_path", "eval_iters", "log_interval", "use_fused_rmsnorm", "max_position_embeddings",
                   "transformer_impl", "group_query_attention", "save_interval")),
    ),
)  # fmt: skip
"""Names by which a dialect is told; where as many speak for two, the one that stands first is meant."""
_DIGEST = re.compile(r"[0-9a-fA-F]{32,128}")
_NODE = re.compile(
    r"(?:node|rank|worker|host|shard|device|server|dp)?[-_ ]?\d+|[\w.\-]*\d|(?:\d+\.){3}\d+", re.I
)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_STATISTICS = frozenset(("max", "min", "mean", "norm"))
_MOST_PLAIN = 400
"""Whole numbers in one section beyond which it is a vocabulary."""


def dialect_of(names: Iterable[str]) -> Dialect:
    """Return the dialect that most of *names* speak for, :attr:`Dialect.PLAIN` where none does."""
    said = {name.lstrip("-").replace("-", "_") for name in names}
    best, most = Dialect.PLAIN, 0
    for dialect, telling in _TELLING:
        count = len(said & telling)
        if count > most:
            best, most = dialect, count
    return best


def holds_settings(table: Table) -> bool:
    """Tell whether *table* is a configuration, and no dump, list of files, index or table of statistics."""
    members = table.members
    if not members:
        return False
    if "weight_map" in members or {"dependencies", "channels"} <= members.keys():
        return False
    if "data" in members and ({"task", "dump_data_dir"} & members.keys()):
        return False
    values = list(members.values())
    if all(isinstance(value, Row) for value in values):
        rows = [value for value in values if isinstance(value, Row)]
        lists = all(_texts(row) for row in rows)
        if lists and (members.keys() == {"files"} or all(_NODE.fullmatch(name) for name in members)):
            return False
    if _all_leaves(values, lambda value: isinstance(value, str)):
        texts = [str(value.value) for value in values if isinstance(value, Leaf)]
        if all(_DIGEST.fullmatch(text) for text in texts):
            return False
        variables = all(_VARIABLE.fullmatch(name) for name in members)
        if variables and ({"PATH", "HOME", "PWD", "LD_LIBRARY_PATH", "ASCEND_HOME_PATH"} & members.keys()):
            return False
    if len(values) > _MOST_PLAIN and _all_leaves(values, lambda value: isinstance(value, int)):
        return False
    return not any(_is_statistics(value) for value in values[:3])


def _texts(row: Row) -> bool:
    return bool(row.items) and all(
        isinstance(item, Leaf) and isinstance(item.value, str) for item in row.items
    )


def _all_leaves(values: list[Node], wanted: object) -> bool:
    return all(isinstance(value, Leaf) and wanted(value.value) for value in values)  # type: ignore[operator]


def _is_statistics(value: Node) -> bool:
    """Tell whether *value*, or the first thing in it, holds statistics of a tensor."""
    if not isinstance(value, Table) or not value.members:
        return False
    first = next(iter(value.members.values()))
    candidates = [value, first] if isinstance(first, Table) else [value]
    return any(len(_STATISTICS & {name.lower() for name in table.members}) >= 3 for table in candidates)
