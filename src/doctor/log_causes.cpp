#include "doctor/log_causes.hpp"

#include <algorithm>
#include <array>

namespace tutti::doctor {

namespace {

constexpr Severity error = Severity::error;
constexpr Severity warning = Severity::warning;

constexpr Cause causes[] = {
    // --- ranks that do not belong together ---
    {"log-duplicate-gpu", error, false, Where::warning, "duplicate gpu detected", "two ranks were given the same GPU",
     "let every rank see its own: cudaSetDevice(local rank), or CUDA_VISIBLE_DEVICES by local rank|"
     "srun: --gpus-per-task=1 or --gpu-bind=single:1; torchrun: LOCAL_RANK, not RANK|"
     "no more ranks on a host than it has GPUs"},
    {"log-version-mismatch", error, false, Where::nccl, "mismatched nccl version",
     "ranks were started with different versions of NCCL",
     "install one version on all hosts|ldd, or LD_DEBUG=libs, shows which libnccl.so.2 a rank takes; mind pip's "
     "nvidia-nccl beside the system's"},
    {"log-rank-count", error, false, Where::nccl, "mismatch in rank count", "ranks do not agree how many they are",
     "give all the same number of ranks (WORLD_SIZE, -n, --ntasks)|end what is left of an earlier job: it meets at the "
     "same address"},
    {"log-rank-twice", error, false, Where::nccl, "has already checked in",
     "two processes say that they are the same rank",
     "ranks must count from 0 without gaps or repetitions: SLURM_PROCID, OMPI_COMM_WORLD_RANK, RANK|end what is left "
     "of "
     "an earlier job"},
    {"log-mismatched-calls", error, false, Where::nccl, "message truncated",
     "ranks made calls that do not belong together: a message is longer than its receiver expects",
     "all ranks must make the same collectives in the same order with the same counts|"
     "look for a branch that only some ranks take|TUTTI_CHECK_ACROSS_RANKS=1 in tutti, or "
     "TORCH_DISTRIBUTED_DEBUG=DETAIL in PyTorch, names the call"},
    {"log-usage", error, false, Where::warning,
     "invalid root|invalid rank|invalid type|invalid operation|invalid reduction|invalid config|invalid argument :|"
     "is not a valid pointer|invalid comm",
     "a call's arguments are wrong", "correct the call; the line says which argument"},

    // --- driver and GPU ---
    {"log-driver", error, false, Where::anywhere, "driver version is insufficient|cuda driver version is too old",
     "the driver is older than the CUDA this program was built with",
     "install a newer driver, or a program built for an older CUDA|tutti doctor compares the two"},
    {"log-no-kernel", error, false, Where::nccl, "no kernel image is available",
     "this NCCL has no code for the GPU's generation", "install an NCCL that was built for this GPU, or newer"},
    {"log-gpu-hardware", error, false, Where::nccl,
     "uncorrectable ecc|uncorrectable nvlink|hardware stack error|gpu has fallen off|unspecified launch failure",
     "a GPU or one of its links failed",
     "nvidia-smi -q -d ECC,ROW_REMAPPER, and dmesg for an Xid, on that host|take the host out, reset the GPU, have it "
     "replaced if it comes back"},
    {"log-illegal-address", error, false, Where::nccl, "illegal memory access",
     "a kernel touched memory that is not there; often an earlier kernel of the program itself",
     "run once with CUDA_LAUNCH_BLOCKING=1, and under compute-sanitizer|buffers must live until the collective is "
     "done"},
    {"log-gpu-memory", error, false, Where::nccl, "cuda failure&out of memory",
     "a GPU has no memory left for NCCL's buffers",
     "leave NCCL 1 GiB or more|fewer communicators, or NCCL_BUFFSIZE=2097152, NCCL_MAX_CTAS=8"},
    {"log-nvls", error, false, Where::warning, "nvlink sharp&multicast|failed to bind nvlink sharp|nvls&cuda failure",
     "multicast memory of NVSwitch (NVLS) could not be set up",
     "systemctl status nvidia-fabricmanager: it must run, and in the driver's own version|NCCL_NVLS_ENABLE=0 does "
     "without|in containers: the same fabric and no other job on these GPUs"},
    {"log-p2p-disabled", error, false, Where::warning, "p2p is disabled between",
     "the driver does not let GPUs reach one another though NVLink joins them",
     "nvidia-smi topo -p2p rw shows the pairs|nvidia-fabricmanager must run on machines with NVSwitch|in virtual "
     "machines: pass all GPUs of one NVLink domain"},
    {"log-cuda-ipc", error, false, Where::nccl, "cudaipc&fail|cuda failure&invalid resource handle|cumemimport&fail",
     "one process could not open another's GPU memory",
     "containers of one host need a common IPC and process namespace: docker --ipc=host --pid=host|GPUs must be "
     "visible "
     "to both processes|NCCL_P2P_DISABLE=1 goes through host memory, slower"},
    {"log-imex", error, false, Where::nccl, "imex|fabric handle&fail",
     "memory of another host's GPU could not be imported over NVLink",
     "systemctl status nvidia-imex on all hosts of the NVLink domain|NCCL_MNNVL_ENABLE=0 takes the network between "
     "hosts"},

    // --- the host ---
    {"log-shm", error, false, Where::nccl,
     "shared memory segment|/dev/shm&no space left|posix_fallocate failed|/dev/shm&failed|shm_open failed",
     "shared memory is used up: /dev/shm is too small",
     "docker run --shm-size=8g, in Kubernetes an emptyDir with medium: Memory at /dev/shm|rm /dev/shm/nccl-* of jobs "
     "that are gone|NCCL_SHM_DISABLE=1 does without, slower"},
    {"log-nofile", error, false, Where::nccl, "too many open files", "the process may not open more files",
     "ulimit -n 1048576 before the job|LimitNOFILE=1048576 for slurmd or the container"},
    {"log-memlock", error, false, Where::nccl,
     "ibv_create_cq&cannot allocate memory|ibv_create_qp&cannot allocate memory|ibv_reg_mr&cannot allocate memory|"
     "ibv_create_srq&cannot allocate memory|ibv_alloc_pd&cannot allocate memory",
     "memory may not be locked for the adapter",
     "ulimit -l unlimited where ranks start|LimitMEMLOCK=infinity for slurmd; docker run --ulimit memlock=-1|"
     "PropagateResourceLimitsExcept=MEMLOCK in slurm.conf"},
    {"log-threads", error, false, Where::nccl, "pthread_create failed|resource temporarily unavailable&thread",
     "no more threads may be made", "ulimit -u unlimited|raise the pids limit of the container"},

    // --- InfiniBand and RoCE ---
    {"log-ib-link-types", error, false, Where::nccl, "attempted to connect incompatible devices|link layer mismatch",
     "an InfiniBand port was paired with a RoCE port",
     "NCCL_IB_HCA=… with adapters of one kind only, the same on all hosts"},
    {"log-ib-gid", error, false, Where::nccl,
     "ibv_modify_qp&no data available|ibv_modify_qp&invalid argument|ibv_modify_qp&failed with 22|"
     "ibv_modify_qp&failed with 61|ibv_query_gid&fail|no valid gid|local gid ::,|gid index&not found",
     "the address of a port (its GID) cannot be used: wrong index, or no such address in this container",
     "show_gids, or /sys/class/infiniband/*/ports/1/gid_attrs/types/*, lists them: a RoCE v2 address is wanted|unset "
     "NCCL_IB_GID_INDEX and let NCCL 2.21 or newer choose, or set the index that is RoCE v2 on all hosts|in "
     "containers: "
     "the interface of the adapter must be in the same network namespace"},
    {"log-ib-connect-timeout", error, false, Where::nccl, "ibv_modify_qp&timed out|ibv_modify_qp&failed with 110",
     "a RoCE peer's address does not answer",
     "ping from one adapter's address to the other's|adapters of one rail must be in one subnet, or routed|NCCL_IB_HCA "
     "leaves out ports that reach nothing"},
    {"log-ib-retry", error, false, Where::nccl, "completion&status=12|completion with error 12|retry exceeded&error",
     "a packet was sent again and again and never acknowledged",
     "see whether the rank at the other end died first: its own log comes before this one|ports of both ends must be "
     "active: ibstat, or tutti doctor on both hosts|RoCE: both ends need GIDs of one type and subnet, one MTU, and a "
     "lossless class (NCCL_IB_TC as the switches have it)|ib_write_bw between exactly these "
     "adapters|NCCL_IB_TIMEOUT=22 "
     "and NCCL_IB_RETRY_CNT=7 wait longer, on busy networks|ACS and IOMMU off where GPUDirect is used"},
    {"log-ib-receiver", error, false, Where::nccl, "completion&status=13|completion with error 13",
     "the receiver was not ready, for too long", "see why that rank stands still: its log, and its CPU load"},
    {"log-ib-access", error, false, Where::nccl,
     "completion&status=4 |completion with error 4,|completion&status=10|completion with error 10|completion&status=9 |"
     "completion with error 9,|completion&status=11|completion with error 11",
     "an adapter was refused access to memory",
     "buffers must stay allocated until the collective is done|GPUDirect: nvidia-peermem must match the driver "
     "(modinfo), or use dma-buf|IOMMU off or iommu=pt, ACS off|NCCL_NET_GDR_LEVEL=LOC shows whether GPUDirect is the "
     "cause"},
    {"log-ib-flush", error, true, Where::nccl, "completion&status=5 |completion with error 5,",
     "requests were thrown away after another error on the same connection",
     "look for the first error before this one"},
    {"log-gdr-registration", error, false, Where::nccl,
     "ibv_reg_mr&bad address|ibv_reg_dmabuf_mr&fail|ibv_reg_mr_iova2&bad",
     "GPU memory could not be registered with an adapter",
     "modprobe nvidia-peermem, or a driver with dma-buf (open kernel modules, Linux 5.12 or "
     "newer)|NCCL_NET_GDR_LEVEL=LOC "
     "does without GPUDirect, slower"},
    {"log-ib-open", error, false, Where::nccl, "unable to open device|failed to open device",
     "an adapter is there and may not be opened",
     "docker run --device=/dev/infiniband, in Kubernetes the RDMA device plug-in|the user needs access to "
     "/dev/infiniband/uverbs*"},
    {"log-ib-port", error, false, Where::nccl,
     "async&port error|async&local catastrophic|async fatal event|got async&device fatal|port down",
     "an adapter or its port failed while the job ran",
     "dmesg and ibstat on that host; cable and transceiver: mlxlink -d … -c|take the port out with NCCL_IB_HCA=^…"},
    {"log-gid-change", warning, false, Where::nccl, "async&gid table change",
     "addresses of an adapter changed while the job ran",
     "see what configures the interface again: NetworkManager, DHCP, a container that starts|give it a fixed address"},

    // --- sockets ---
    {"log-no-interface", error, false, Where::nccl,
     "no socket interface found|no interface found|no usable listening interface",
     "no network interface fits what was asked for",
     "ip -br addr lists what there is|correct or unset NCCL_SOCKET_IFNAME, NCCL_SOCKET_FAMILY"},
    {"log-connect", error, false, Where::warning,
     "connect&connection refused|connect&no route to host|connect&timed out|connect&network is unreachable|"
     "socketstartconnect|socketpollconnect|connect to&failed",
     "a rank could not be reached at the address it gave",
     "the interface must be reachable from all hosts: NCCL_SOCKET_IFNAME=…, not docker0, virbr0 or lo|a firewall must "
     "let all ports through between the hosts of a job|see whether the rank at that address died first"},
    {"log-network-not-found", error, false, Where::nccl, "network&not found.|failed to initialize net plugin",
     "the network that was asked for is not there",
     "unset NCCL_NET, or give a name the log lists|NCCL_NET_PLUGIN must name a library that LD_LIBRARY_PATH finds"},
    {"log-no-network", error, false, Where::warning, "failed to initialize any net plugin",
     "no network could be used at all",
     "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET tells why each was refused|NCCL_SOCKET_IFNAME must name an interface "
     "that exists|in containers: an interface besides lo is needed"},

    // --- files ---
    {"log-topology-file", error, false, Where::warning, "xml parse|xml import|could not open xml|nccl_topo_file&fail",
     "the file that describes the machine cannot be read",
     "tutti topology FILE says where it is wrong|unset NCCL_TOPO_FILE"},
    {"log-algorithm", error, false, Where::nccl, "no algorithm/protocol available|unrecognized element&nccl_algo",
     "settings leave no algorithm for a call",
     "unset NCCL_ALGO and NCCL_PROTO|tutti env names what is wrong with them"},

    // --- advice that NCCL itself gives ---
    {"log-iommu", warning, false, Where::nccl, "missing \"iommu=pt\"",
     "the IOMMU translates what GPUs and adapters write: slow, and may hang",
     "iommu=pt on the kernel's command line, or the IOMMU off in the firmware"},
    {"log-numa-balancing", warning, false, Where::nccl, "numa auto balancing enabled",
     "the kernel moves memory between NUMA nodes while the job runs", "sysctl kernel.numa_balancing=0"},

    // --- what follows from something else ---
    {"log-peer-gone", error, true, Where::nccl,
     "connection closed by remote peer|connection reset by peer|remote process exited|broken pipe",
     "the rank at the other end is gone", "look at that rank's log: it failed first"},
    {"log-watchdog", error, true, Where::anywhere, "watchdog caught collective operation timeout",
     "a collective took longer than the framework waits: a rank did not come, or came with another call",
     "find the rank that is behind: TORCH_NCCL_DESYNC_DEBUG=1, or the flight recorder "
     "(TORCH_NCCL_TRACE_BUFFER_SIZE)|look "
     "for a branch, or data, that only some ranks have"},
    {"log-aborted", error, true, Where::nccl, "unhandled system error|unhandled cuda error|internal error|remote error",
     "NCCL gave up", "look for the first warning before this one"},
    {"log-wrong-results", error, false, Where::anywhere, "out of bounds values :&failed",
     "nccl-tests found wrong results",
     "run again with NCCL_ALGO=Ring NCCL_PROTO=Simple, then with NCCL_P2P_DISABLE=1: what helps is near the cause|ACS, "
     "IOMMU, and ECC counters of the GPUs"},
    {"log-cuda-failure", error, false, Where::warning, "cuda failure", "a call of CUDA failed",
     "the line says which and why; dmesg on that host may tell of an Xid"},
    {"log-other-warning", warning, false, Where::warning, "", "NCCL warned", "NCCL_DEBUG=INFO tells more around it"},
};

}  // namespace

std::span<const Cause> log_causes() { return causes; }

bool bears_sign(std::string_view line, std::string_view signs) {
  if (signs.empty()) return true;
  while (!signs.empty()) {
    const auto bar = std::min(signs.find('|'), signs.size());
    std::string_view sign = signs.substr(0, bar);
    signs.remove_prefix(std::min(bar + 1, signs.size()));
    bool all = true;
    while (all && !sign.empty()) {
      const auto end = std::min(sign.find('&'), sign.size());
      all = line.find(sign.substr(0, end)) != std::string_view::npos;
      sign.remove_prefix(std::min(end + 1, sign.size()));
    }
    if (all) return true;
  }
  return false;
}

}  // namespace tutti::doctor
