"""Traces of PyTorch's profiler: what reading them costs over what any reader must do with the bytes.

A step has 200 operators, 40 kernels with their launches and flows, and one collective: about 2.5 kB
a record of a device, in the layout of PyTorch 2.x.
"""

import os
import subprocess

import measure

HEAD = ('{{"schemaVersion": 1, "deviceProperties": [{{"id": 0}}], "distributedInfo": {{"backend": "nccl", '
        '"rank": {rank}, "world_size": {ranks}}}, "baseTimeNanoseconds": 1760000000000000000, "traceEvents": [\n')
OPERATOR = ('  {{\n    "ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 900, "tid": 900,\n'
            '    "ts": {ts:.3f}, "dur": {some[0]:.3f},\n    "args": {{\n      "External id": {id}, "Record function id": 0, '
            '"Concrete Inputs": ["", "", ""], "Input type": ["float", "float", "float"], '
            '"Input Strides": [[4096, 1], [4096, 1], [1]], "Input Dims": [[{some[1]}, {some[2]}], [{some[3]}, {some[2]}], [{some[3]}]]\n    }}\n  }},\n')
LAUNCH = ('  {{\n    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 900, "tid": 900,\n'
          '    "ts": {ts:.3f}, "dur": 2.5,\n    "args": {{\n      "External id": {id}, "cbid": 211, "correlation": {id}\n'
          '    }}\n  }},\n  {{\n    "ph": "s", "id": {id}, "pid": 900, "tid": 900, "ts": {ts:.3f}, "cat": "ac2g", '
          '"name": "ac2g"\n  }},\n')
KERNEL = ('  {{\n    "ph": "X", "cat": "kernel", "name": "{name}", "pid": 0, "tid": {stream},\n    "ts": {ts:.3f}, '
          '"dur": {dur:.3f},\n    "args": {{\n      "External id": {id}, "queued": 0, "device": 0, "context": 1, '
          '"stream": {stream}, "correlation": {id}, "registers per thread": 64, "shared memory": 0, '
          '"blocks per SM": 1.5, "grid": [128, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 40{more}\n'
          '    }}\n  }},\n')
GEMM = "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>(cutlass::Params)"
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GROUP = (', "Collective name": "allreduce", "In msg nelems": 1048576, "Out msg nelems": 1048576, '
         '"Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]"')


def numbers(seed):
    """Some, so that texts pack as real ones do: 13 to 16-fold."""
    seed = seed * 2654435761 % 2**32
    return (seed % 8999 / 1000 + 1, seed // 7 % 64, seed // 449 % 8192, seed // 65537 % 16384)


def step(number, rank):
    """10 ms, the collective of rank 1 a little later than that of rank 0."""
    begin, first = 10000 * number + 100, 41 * number + 1
    out = [f'  {{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{number}", "pid": 900, '
           f'"tid": 900, "ts": {begin - 50}.000, "dur": 9990.000}},\n']
    for k in range(40):
        ts, id = begin + 200 * k, first + k
        out += [OPERATOR.format(ts=ts + 10 * i, id=id, some=numbers(5 * id + i)) for i in range(5)]
        out.append(LAUNCH.format(ts=ts + 60, id=id))
        out.append(KERNEL.format(ts=ts + 70, id=id, name=GEMM, stream=7, dur=150, more=""))
    ts = begin + 8100 + 40 * rank
    out.append(LAUNCH.format(ts=ts, id=first + 40))
    out.append(KERNEL.format(ts=ts + 10, id=first + 40, name=NCCL, stream=20, dur=1000 - 40 * rank,
                             more=GROUP))
    return "".join(out)


def files(bench, packed):
    """Two ranks, 114 MB of text each, a quarter of it in a quick run."""
    key = "ai packed" if packed else "ai"
    if key not in bench.paths:
        folder = os.path.join(bench.scratch, "ai")
        os.makedirs(folder, exist_ok=True)
        most = 28e6 if measure.EXTENT == "quick" else 114e6
        paths = [os.path.join(folder, f"rank{rank}.json") for rank in range(2)]
        for rank, path in enumerate(paths if not packed else ()):
            with open(path, "w", encoding="ascii") as out:
                out.write(HEAD.format(rank=rank, ranks=2))
                for number in range(int(most / len(step(1000, 0)))):
                    out.write(step(number, rank))
                out.write('  {"ph": "M", "name": "process_name", "pid": 900, "args": {"name": "python"}}\n]}\n')
        for path in files(bench, False) if packed else ():
            with open(path + ".gz", "wb") as out:
                subprocess.run(["gzip", "-1", "-c", path], stdout=out, check=True)
        bench.paths[key] = [path + ".gz" for path in paths] if packed else paths
    return bench.paths[key]


def over(tool, packed):
    def ratio(bench):
        paths = files(bench, packed)
        whole = [measure.run(*bench.analysis(*paths, "--jobs", "1")) for _ in range(measure.ROUNDS)]
        bare = [[measure.run(*bench.tool(tool, path)) for _ in range(measure.ROUNDS)] for path in paths]
        return measure.least(whole).cpu / sum(measure.least(one).cpu for one in bare)
    return ratio


def over_goal(bench):
    """One GB/s of a core."""
    paths = files(bench, False)
    allowed = sum(os.path.getsize(path) for path in paths) / 1e9
    return measure.best(measure.ROUNDS, *bench.analysis(*paths, "--jobs", "1")).cpu / allowed


def memory(bench):
    return measure.peak(*bench.analysis(*files(bench, True))) / 256e6


RATIOS = [
    ("PyTorch traces over 1 GB/s (CPU)", over_goal, 1, None),
    ("PyTorch traces over a bare read (CPU)", over("bare_read", False), 8, None),
    ("PyTorch .json.gz over inflating it (CPU)", over("bare_gunzip", True), 16 / 3, None),
    ("PyTorch .json.gz: peak memory over 256 MB", memory, 1, 1),
]
