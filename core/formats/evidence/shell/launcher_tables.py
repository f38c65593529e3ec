"""Programs that start a training: what of their command lines is their own."""

from __future__ import annotations

PLAIN_WRAPPERS = frozenset(("nohup", "time", "exec", "command", "sudo", "builtin", "setsid"))
"""They run what follows them."""
COUNTED_WRAPPERS = {
    "timeout": 1, "nice": 0, "taskset": 1, "stdbuf": 0, "numactl": 0, "ionice": 0, "env": 0, "unbuffer": 0,
}  # fmt: skip
"""The same, with options and so many words of their own before it."""
VALUED = {
    "nice": ("-n",), "env": ("-u",), "numactl": ("-C", "-m", "-N"),
    "ionice": ("-c", "-n"), "timeout": ("-s", "-k"),
}  # fmt: skip
"""Options of theirs that take the next word."""
FLAGS = {
    "torchrun": frozenset(
        ["standalone", "no-python", "no_python", "use-env", "use_env", "run-path", "run_path", "m", "module"]
    ),
    "msrun": frozenset[str](),
    "deepspeed": frozenset(
        (
            "no_python", "no_local_rank", "no_ssh", "no_ssh_check", "save_pid", "force_multi",
            "bind_cores_to_rank", "module", "elastic_training"
        )
    ),
    "accelerate": frozenset(
        (
            "cpu", "multi_gpu", "multi-gpu", "tpu", "ipex", "quiet", "q", "debug", "no_python", "m",
            "module", "same_network", "no_same_network", "use_deepspeed", "use-deepspeed", "use_fsdp",
            "use-fsdp", "use_megatron_lm", "use_xpu", "no_tpu_cluster", "tpu_use_cluster", "tpu_use_sudo",
            "use_mps_device", "enable_cpu_affinity", "aws"
        )
    ),
    "mpirun": frozenset(
        (
            "allow-run-as-root", "oversubscribe", "nooversubscribe", "tag-output", "v", "verbose", "q",
            "quiet", "report-bindings"
        )
    ),
    "srun": frozenset(
        (
        "l", "label", "u", "unbuffered", "K", "no-kill", "exclusive", "overlap", "v", "verbose", "pty",
        "overcommit", "O"
        )
    ),
}  # fmt: skip
"""Options of each launcher that stand without a value."""
TWO_VALUES = frozenset(("mca", "gmca"))
RUNS_COMMANDS = frozenset(("mpirun", "srun"))
"""What they start is a command line, not a Python program."""
MODULES = {
    "torch.distributed.launch": "torchrun",
    "torch.distributed.run": "torchrun",
    "deepspeed.launcher.runner": "deepspeed",
    "deepspeed": "deepspeed",
    "accelerate.commands.launch": "accelerate",
}
"""Launchers that Python starts as modules."""
ALIASES = {"mpiexec": "mpirun", "orterun": "mpirun"}
TRAINERS = {
    "llamafactory-cli": ("train",),
    "llamafactory": ("train",),
    "lmf": ("train",),
    "swift": ("sft", "pt", "rlhf"),
    "megatron": ("pt", "sft", "rlhf"),
    "xtuner": ("train",),
}
"""Programs with commands, and those of them that train."""
OPTION_NAMES = frozenset(
    (
        "nproc_per_node", "nnodes", "node_rank", "master_addr", "master_port", "worker_num",
        "local_worker_num", "rdzv_id", "rdzv_backend", "rdzv_endpoint", "num_processes", "num_machines",
        "machine_rank", "num_gpus", "num_nodes", "hostfile", "max_restarts", "standalone", "log_dir",
        "join", "cluster_time_out"
    )
)  # fmt: skip
"""Names by which options are known as a launcher's, with ``_`` for ``-``."""
