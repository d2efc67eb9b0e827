#include "settings/tables.hpp"

namespace tutti::settings {

// name | first version that read it | last one | what it did | use instead
const std::string_view nccl_gone_table = R"(
NCCL_AGG_ALLOC_MODE | 2.10.3 | 2.12.12 | memory of channels that were put together |
NCCL_AGG_CHANNEL_SIZE | 2.10.3 | 2.19.4 | bytes a channel carried when collectives were put together |
NCCL_CHECKS_DISABLE | 2.0.5 | 2.2.11 | arguments were not checked | NCCL_CHECK_MODE
NCCL_CREATE_THREAD_CONTEXT | 2.13.4 | 2.30.4 | a CUDA context for each proxy thread |
NCCL_CUDA_PATH | 2.13.4 | 2.20.5 | where libcuda.so was looked for |
NCCL_GDRCOPY_TAIL_ENABLE | 2.9.6 | 2.11.4 | GDRCopy for one of the proxy's counters | NCCL_GDRCOPY_SYNC_ENABLE
NCCL_GIN_COUNTER_POOL_SIZE | 2.28.7 | 2.29.7 | counters of network calls made by the GPU |
NCCL_GIN_EXCLUSIVE_CONTEXTS | 2.29.7 | 2.29.7 | their contexts were not shared |
NCCL_GIN_NCONTEXTS | 2.28.7 | 2.29.7 | how many contexts they had |
NCCL_GIN_SIGNAL_POOL_SIZE | 2.28.7 | 2.29.7 | their signals |
NCCL_GRAPH | 2.5.6 | 2.5.7 | rings and trees to use | NCCL_GRAPH_FILE
NCCL_IB_CUDA_SUPPORT | 2.3.5 | 2.3.7 | GPUDirect RDMA on or off | NCCL_NET_GDR_LEVEL
NCCL_IB_GDR_LEVEL | 2.3.5 | 2.3.7 | how far an adapter might be for GPUDirect RDMA | NCCL_NET_GDR_LEVEL
NCCL_LL_THRESHOLD | 2.3.5 | 2.4.8 | up to which size the LL protocol was used | NCCL_PROTO
NCCL_MNNVL | 2.20.3 | 2.20.5 | NVLink between hosts | NCCL_MNNVL_ENABLE
NCCL_NCCL_ALLOC_P2P_NET_LL_BUFFERS | 2.14.3 | 2.16.2 | a name with its prefix twice | NCCL_ALLOC_P2P_NET_LL_BUFFERS
NCCL_PROXY_PROFILE | 2.12.7 | 2.22.3 | a trace of the proxy | NCCL_PROFILER_PLUGIN
NCCL_RINGS | 2.3.5 | 2.4.8 | the rings, rank by rank; AMD's RCCL still reads it | NCCL_GRAPH_FILE
NCCL_SHARED_BUFF_COUNT | 2.8.3 | 2.8.4 | how many shared buffers there were |
NCCL_SHM_MEMCPY_MODE | 2.13.4 | 2.30.4 | which side copied with copy engines |
NCCL_SHM_USE_CUDA_MEMCPY | 2.13.4 | 2.30.4 | copy engines for shared memory |
NCCL_SINGLE_RING_THRESHOLD | 2.1.0 | 2.2.13 | up to which size one ring was used |
NCCL_THREAD_THRESHOLD | 2.3.5 | 2.4.8 | bytes per thread at which more were used | NCCL_THREAD_THRESHOLDS
NCCL_TREE_THRESHOLD | 2.4.2 | 2.4.8 | up to which size trees were used | NCCL_ALGO
NCCL_WORK_FIFO_DEPTH | 2.13.4 | 2.21.5 | entries in the queue of work | NCCL_WORK_FIFO_BYTES
)";

// name | use instead, or how the job is done | why people write it
const std::string_view nccl_never_table = R"(
NCCL_TOPO | NCCL_ALGO=Ring or NCCL_ALGO=Tree to choose the algorithm, NCCL_TOPO_FILE=machine.xml to describe the machine | two settings are mixed up in it
NCCL_TOPOLOGY | NCCL_TOPO_FILE=machine.xml | NCCL 1 of some containers read it
NCCL_LINK | nothing; leave it out | NCCL 1 of some containers read it
NCCL_ALGORITHM | NCCL_ALGO | the name is shorter
NCCL_PROTOCOL | NCCL_PROTO | the name is shorter
NCCL_BUFFER_SIZE | NCCL_BUFFSIZE | it is one word with two f
NCCL_BUFF_SIZE | NCCL_BUFFSIZE | it is one word
NCCL_BUFSIZE | NCCL_BUFFSIZE | it has two f
NCCL_NCHANNELS | NCCL_MIN_CTAS and NCCL_MAX_CTAS | there is a lower and an upper limit, no number
NCCL_NRINGS | NCCL_MIN_CTAS and NCCL_MAX_CTAS | there is a lower and an upper limit, no number
NCCL_MAX_CHANNELS | NCCL_MAX_CTAS | the old name had an N before CHANNELS
NCCL_MIN_CHANNELS | NCCL_MIN_CTAS | the old name had an N before CHANNELS
NCCL_TIMEOUT | the time-out of the framework (PyTorch: init_process_group(timeout=…)); NCCL_IB_TIMEOUT is an adapter's wait for an acknowledgement | NCCL waits without end
NCCL_COMM_TIMEOUT | the time-out of the framework | NCCL waits without end
NCCL_SOCKET_TIMEOUT | NCCL_SOCKET_RETRY_CNT and NCCL_SOCKET_RETRY_SLEEP_MSEC | there are tries and waits, no time-out
NCCL_IB_ENABLE | NCCL_IB_DISABLE, with the opposite value | only the negative switch exists
NCCL_IB_RETRY_COUNT | NCCL_IB_RETRY_CNT | the name is shorter
NCCL_IB_GID | NCCL_IB_GID_INDEX | it is an index
NCCL_IB_QP_PER_CONNECTION | NCCL_IB_QPS_PER_CONNECTION | it is in the plural
NCCL_IB_QPS_PER_CONN | NCCL_IB_QPS_PER_CONNECTION | the name is longer
NCCL_IB_TRAFFIC_CLASS | NCCL_IB_TC | the name is shorter
NCCL_IB_IFNAME | NCCL_IB_HCA for an adapter, NCCL_SOCKET_IFNAME for an interface | InfiniBand is chosen by adapters
NCCL_IFNAME | NCCL_SOCKET_IFNAME | the name is longer
NCCL_NET_IFNAME | NCCL_SOCKET_IFNAME | interfaces belong to sockets
NCCL_GDR_LEVEL | NCCL_NET_GDR_LEVEL | the name is longer
NCCL_GDR_READ | NCCL_NET_GDR_READ | the name is longer
NCCL_P2P_ENABLE | NCCL_P2P_DISABLE, with the opposite value | only the negative switch exists
NCCL_SHM_ENABLE | NCCL_SHM_DISABLE, with the opposite value | only the negative switch exists
NCCL_PXN_ENABLE | NCCL_PXN_DISABLE, with the opposite value | only the negative switch exists
NCCL_DEBUG_LEVEL | NCCL_DEBUG | the name is shorter
NCCL_DEBUG_SUBSYSTEM | NCCL_DEBUG_SUBSYS | the name is shorter
NCCL_SHARP_ENABLE | NCCL_COLLNET_ENABLE | NCCL calls it CollNet
NCCL_NVLS | NCCL_NVLS_ENABLE | the name is longer
NCCL_TREE_ENABLE | NCCL_ALGO=Tree, or NCCL_ALGO=^Tree to leave it out | algorithms have one setting
NCCL_NET_TYPE | NCCL_NET | the name is shorter
NCCL_RAIL_OPTIMIZED | NCCL_CROSS_NIC=0 | NCCL says it the other way round
)";

// name, with * at the end for a family | who reads it | what it does | its name today
const std::string_view foreign_table = R"(
NCCL_BLOCKING_WAIT | PyTorch | waiting blocks the host | TORCH_NCCL_BLOCKING_WAIT
NCCL_ASYNC_ERROR_HANDLING | PyTorch | what its watchdog does after errors | TORCH_NCCL_ASYNC_ERROR_HANDLING
NCCL_DESYNC_DEBUG | PyTorch | names the rank that is behind | TORCH_NCCL_DESYNC_DEBUG
NCCL_ENABLE_TIMING | PyTorch | records when calls start | TORCH_NCCL_ENABLE_TIMING
NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK | PyTorch | registers the memory it allocates | TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK
NCCL_TUNER_CONFIG_FILE | NCCL's example tuner | its rules |
NCCL_TUNER_CONFIG_PATH | Google's tuner | its rules |
NCCL_PROFILE_* | NCCL's example profiler | events and files |
NCCL_PROFILER_CE_TIMING | NCCL's example profiler | times copy engines |
NCCL_PROFILER_CE_POLLER_INTERVAL_MICROSECONDS | NCCL's example profiler | how often |
NCCL_INSPECTOR_* | NCCL's inspector plug-in | what is written, and when |
NCCL_IBEXT_DISABLE | the RDMA-SHARP plug-in | turns its network off |
NCCL_IB_IS_GLOBAL | the RDMA-SHARP plug-in | global routing headers |
NCCL_SHARP_* | the RDMA-SHARP plug-in | reductions in switches |
NCCL_PLUGIN_P2P | the RDMA-SHARP plug-in | its way between two ranks |
NCCL_UCX_* | the RDMA-SHARP plug-in | its use of UCX |
NCCL_GPUDIRECTTCPX_* | Google's TCPX plug-in | interfaces and flows |
NCCL_FASTRAK_* | Google's TCPXO plug-in | interfaces and flows |
NCCL_SHIMNET_* | Google's configuration checker | what it checks |
NCCL_RINGS_REMAP | AMD's RCCL | other rings |
NCCL_CTRAN_* | Meta's NCCLX | its transport |
NCCL_COLLTRACE_* | Meta's NCCLX | a trace of collectives |
NCCL_CVARS_LOG_INFO | Meta's NCCLX | logs settings |
NCCL_DDA_* | Meta's NCCLX | direct access kernels |
NCCL_ALLREDUCE_ALGO | Meta's NCCLX | the algorithm of one collective |
NCCL_ALLGATHER_ALGO | Meta's NCCLX | the algorithm of one collective |
NCCL_ALLTOALL_ALGO | Meta's NCCLX | the algorithm of one collective |
NCCL_ALLTOALLV_ALGO | Meta's NCCLX | the algorithm of one collective |
NCCL_BROADCAST_ALGO | Meta's NCCLX | the algorithm of one collective |
NCCL_FASTINIT_MODE | Meta's NCCLX | a quicker start |
NCCL_TESTS_* | nccl-tests | devices, limits and splits |
NCCL_EP_* | NCCL's expert-parallel library | its own settings |
NCCL_RESHARD_* | NCCL's resharding library | its own settings |
NCCL_CHECKPOINT_KVS_PATH | NCCL's checkpoint library | a store |
NCCL_HOME | build scripts | where NCCL lies; not read at run time |
NCCL_ROOT | build scripts | where NCCL lies; not read at run time |
NCCL_ROOT_DIR | build scripts | where NCCL lies; not read at run time |
NCCL_LIB_DIR | build scripts | where NCCL lies; not read at run time |
NCCL_INCLUDE_DIR | build scripts | where NCCL lies; not read at run time |
NCCL_LIBRARY | build scripts | where NCCL lies; not read at run time |
NCCL_VERSION | container images | says what is installed; not read at run time |
)";

}  // namespace tutti::settings
