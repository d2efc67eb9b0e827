#include "settings/tables.hpp"

namespace tutti::settings {

// Read by NCCL 2.30.7. Facts about names, versions and defaults: NCCL's user guide and release notes.
// name | read since | default | kind of value | what it does | deprecated since, use instead
const std::string_view nccl_table = R"(
NCCL_ALGO | 2.5 | chosen by cost | algorithms | which algorithms may be used
NCCL_ALLGATHERV_ENABLE | 2.29.2 | 1 | flag | fuses grouped broadcasts into one uneven all-gather
NCCL_ALLOC_P2P_NET_LL_BUFFERS | 2.14 | 0 | flag | an own low-latency buffer for every send/recv connection over the network; memory grows with the ranks
NCCL_BUFFSIZE | 1.2.1 | 4194304 | bytes | the slots of the Simple protocol, for each channel and peer
NCCL_CGA_CLUSTER_SIZE | 2.16 | automatic | int 0..8 | thread blocks that form a cluster in NCCL's kernels
NCCL_CHECK_MODE | 2.29.7 | DEFAULT | one DEFAULT,DEBUG_LOCAL,DEBUG_GLOBAL | how thoroughly arguments are checked
NCCL_CHECK_POINTERS | 2.2.12 | 0 | flag | looks at device pointers in every call | 2.29.7 NCCL_CHECK_MODE=DEBUG_LOCAL
NCCL_CHUNK_SIZE | 2.12.7 | automatic | bytes | how messages over the network and all-to-all are cut
NCCL_COLLNET_ENABLE | 2.6 | 0 | flag | reductions inside the network (SHARP) by a CollNet plug-in
NCCL_COLLNET_NODE_THRESHOLD | 2.9.9 | 2 | int 1.. | from how many hosts on CollNet is tried
NCCL_COMM_BLOCKING | 2.14 | as configured | flag | 1: calls that make communicators wait; 0: they return at once
NCCL_COMM_ID | 2.3.5 | | endpoint | host:port where ranks meet, in place of a generated id
NCCL_COMM_SHRINK_SHARE_RESOURCES | 2.27.3 | as configured | flag | a shrunk communicator uses its parent's channels
NCCL_COMM_SPLIT_SHARE_RESOURCES | 2.18.1 | as configured | flag | a split communicator uses its parent's channels
NCCL_CONF_FILE | 2.23 | ~/.nccl.conf | path | a file of settings that is read after /etc/nccl.conf
NCCL_CONNECT_ROUND_MAX_PEERS | 2.19.4 | 128 | int 1.. | peers that are connected at the same time
NCCL_CROSS_NIC | 2.5.6 | 2 | int 0..2 | may a ring change the adapter between hosts: 0 never, 1 always, 2 if it is faster
NCCL_CTA_POLICY | 2.29 | DEFAULT | text | how many processors of the GPU NCCL may take: DEFAULT, EFFICIENCY, ZERO
NCCL_CUMEM_ENABLE | 2.18 | automatic | int -2..1 | GPU memory by the virtual-memory functions of CUDA
NCCL_CUMEM_HOST_ENABLE | 2.23 | automatic | int -2..1 | the same for memory of the host
NCCL_DEBUG | 1.2.1 | nothing | one VERSION,WARN,INFO,ABORT,TRACE,NONE | how much is logged
NCCL_DEBUG_FILE | 2.2.12 | standard output | text | where the log goes; %h is the host, %p the process
NCCL_DEBUG_SUBSYS | 2.3.4 | INIT,BOOTSTRAP,ENV | list INIT,COLL,P2P,SHM,NET,GRAPH,TUNING,ENV,ALLOC,CALL,PROXY,NVLS,BOOTSTRAP,REG,PROFILE,RAS,DESTROY,ALL | what INFO lines are about
NCCL_DEBUG_TIMESTAMP_FORMAT | 2.26 | [%F %T] | text | the form of times in the log, as strftime takes it
NCCL_DEBUG_TIMESTAMP_LEVELS | 2.26 | WARN | list VERSION,WARN,INFO,ABORT,TRACE,ALL | which lines carry a time
NCCL_DEV_API_JIT | 2.30.7 | 0 | flag | device functions are compiled at run time
NCCL_DISABLE_MEM_MANAGER | 2.29.7 | 0 | flag | NCCL's own memory manager stays off
NCCL_DMABUF_ENABLE | 2.13 | 1 | flag | GPU memory is registered with adapters by dma-buf where kernel and driver can
NCCL_ELASTIC_BUFFER_REGISTER | 2.30.3 | 1 | flag | buffers that are mapped in part may be registered
NCCL_ENABLE_VERSION_CHECK | 2.29.2 | 1 | flag | compares the version that device code was compiled for
NCCL_ENV_PLUGIN | 2.28 | | text | a plug-in that supplies settings; none: no plug-in
NCCL_GDAKI_USE_RELIABLE_DB | 2.29.7 | 0 | int 0.. | reliable doorbells of InfiniBand calls made by the GPU
NCCL_GDRCOPY_ENABLE | 2.9.6 | 0 | flag | flags and queues in GPU memory by GDRCopy
NCCL_GDRCOPY_FIFO_ENABLE | 2.9.6 | 1 | flag | GDRCopy for the queue of work
NCCL_GDRCOPY_FLUSH_ENABLE | 2.9.6 | 0 | flag | GDRCopy to flush what adapters wrote
NCCL_GDRCOPY_SYNC_ENABLE | 2.12.7 | 1 | flag | GDRCopy for the flags of the proxy thread
NCCL_GDR_FLUSH_DISABLE | 2.3.5 | 0 | flag | no flush after an adapter wrote GPU memory; unsafe where PCIe reorders
NCCL_GIN_ENABLE | 2.28.7 | 1 | flag | network calls made by the GPU
NCCL_GIN_ERROR_QUERY_SEC | 2.28.7 | 10 | int 0.. s | how often their errors are looked for
NCCL_GIN_GDAKI_MAX_DEST_RD_ATOMIC | 2.30.3 | automatic | int | reads in flight that a peer accepts
NCCL_GIN_GDAKI_MAX_QP_RD_ATOMIC | 2.30.3 | automatic | int | reads in flight of a queue pair
NCCL_GIN_GDAKI_NIC_HANDLER | 2.28.7 | 0 | int 0.. | how the GPU rings an adapter's doorbell
NCCL_GIN_GDAKI_QP_DEPTH | 2.28.7 | 128 | int 1.. | entries of the GPU's send queues
NCCL_GIN_IB_TC | 2.30.7 | as NCCL_IB_TC | int -1..255 | their traffic class
NCCL_GIN_NCONNECTIONS | 2.29.7 | automatic | int | their connections for each communicator
NCCL_GIN_PLUGIN | 2.29.7 | | text | a plug-in that makes them; none: no plug-in
NCCL_GIN_PLUGIN_REF_COUNT | 2.29.7 | 0 | flag | counts who uses that plug-in
NCCL_GIN_PROXY_QUEUE_SIZE | 2.28.7 | automatic | int | entries of the proxy's queue for them
NCCL_GIN_TYPE | 2.28.7 | automatic | int -1.. | by the proxy or by the GPU itself
NCCL_GRAPH_DUMP_FILE | 2.6.4 | | output | where the rings and trees that were found are written, as XML
NCCL_GRAPH_DUMP_FILE_RANK | 2.6.4 | 0 | int 0.. | the rank that writes them
NCCL_GRAPH_FILE | 2.6.4 | | path | rings and trees to use, as XML, in place of a search
NCCL_GRAPH_HELPER_DISABLE | 2.11.4 | 0 | flag | no helper thread for CUDA graphs
NCCL_GRAPH_MIXING_SUPPORT | 2.13 | 1 | flag | captured and ordinary calls may be mixed
NCCL_GRAPH_REGISTER | 2.11 | 1 | flag | registers the buffers of captured calls
NCCL_GRAPH_STREAM_ORDERING | 2.30 | 1 | flag | captured kernels run one after the other
NCCL_GROUP_CUDA_STREAM | 2.3.5 | of the build | int 0..2 | a stream of NCCL's own for groups
NCCL_HOSTID | 2.5.6 | host name and boot | text | ranks with the same text count as on one host
NCCL_IBVERBS_LIB | 2.30.3 | libibverbs.so | text | the verbs library that is loaded
NCCL_IB_ADAPTIVE_ROUTING | 2.16 | 1 on InfiniBand, 0 on RoCE | flag | data may take several ways through the network; the service level must allow it
NCCL_IB_ADDR_FAMILY | 2.21 | AF_INET | one AF_INET,AF_INET6 | the family of the RoCE address that is chosen
NCCL_IB_ADDR_RANGE | 2.21 | any | cidr | the range in which the RoCE address must lie
NCCL_IB_AR_THRESHOLD | 2.6 | 8192 | bytes0 | with adaptive routing: larger messages are a plain write and an empty one that notifies
NCCL_IB_DATA_DIRECT | 2.27.3 | 1 | int 0..2 | the data-direct function of adapters that have one
NCCL_IB_DEVICE_PCI_ORDER | 2.29.7 | 1 | flag | adapters are numbered by their place on PCI
NCCL_IB_DISABLE | 2.3.5 | 0 | flag | neither InfiniBand nor RoCE; sockets instead
NCCL_IB_ECE_ENABLE | 2.23 | 1 | flag | adapters agree about enhanced connections
NCCL_IB_FIFO_TC | 2.22.3 | as NCCL_IB_TC | int -1..255 | the traffic class of small control messages
NCCL_IB_GID_INDEX | 2.1.4 | chosen | int -1..255 | which RoCE address of a port is used
NCCL_IB_HCA | 2.3.5 | all | adapters | which adapters and ports are used
NCCL_IB_MERGE_NICS | 2.20 | 1 | flag | the ports of one card act as one adapter
NCCL_IB_MERGE_VFS | 2.18.1 | 1 | flag | virtual functions of one card count as one
NCCL_IB_MQP_RETRY_ALL | 2.24.3 | 0 | flag | tries again after any error of a queue pair's set-up
NCCL_IB_MQP_RETRY_CNT | 2.24.3 | 34 | int 0.. | how often
NCCL_IB_MQP_RETRY_SLEEP_MSEC | 2.24.3 | 100 | int 0.. ms | the wait in between
NCCL_IB_OOO_RQ | 2.30 | 0 | flag | receives may be completed out of order
NCCL_IB_PCI_RELAXED_ORDERING | 2.12 | 2 | int 0..2 | relaxed order on PCIe: 0 no, 1 yes, 2 where possible
NCCL_IB_PKEY | 2.8.3 | 0 | int 0..65535 | index in the table of partition keys
NCCL_IB_PREPOST_RECEIVE_WORK_REQUESTS | 2.29.7 | automatic | int | receives are posted ahead
NCCL_IB_QPS_PER_CONNECTION | 2.10 | 1 | int 1..128 | queue pairs of a connection, to spread over several ways
NCCL_IB_QUERY_PORT_SPEED | 2.30.7 | 1 | flag | asks the driver's newer function for the port's speed
NCCL_IB_RECEIVER_SIDE_MATCHING_SCHEME | 2.29.7 | automatic | int | how receives find their message
NCCL_IB_RESILIENCY_PORT_FAILOVER | 2.29.7 | 0 | flag | a merged adapter goes on with its other port when one dies
NCCL_IB_RESILIENCY_PORT_FAILOVER_MAX_ATTEMPTS | 2.29.7 | 1 | int 0.. | how often
NCCL_IB_RESILIENCY_PORT_FAILOVER_PROBE_DELAY | 2.29.7 | 10 | int 0.. ms | the wait before a lost transfer is looked into
NCCL_IB_RESILIENCY_PORT_RECOVERY | 2.30.3 | 0 | flag | takes a port back when it works again
NCCL_IB_RESILIENCY_PORT_RECOVERY_ACK_TIMEOUT | 2.30.3 | 5000 | int 0.. ms | the wait for the other side's agreement
NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_INTERVAL | 2.30.3 | 500 | int 0.. ms | time between batches of test messages
NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_SIZE | 2.30.3 | 5 | int 1.. | test messages in a batch
NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_SEQUENCE_SIZE | 2.30.3 | 5 | int 1.. | test messages in a row that prove a port
NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_TIMEOUT | 2.30.3 | 4000 | int 0.. ms | when a test message is lost
NCCL_IB_RESILIENCY_PORT_RECOVERY_ATTEMPTS_MAX | 2.30.3 | 5 | int 0.. | how often a port is tried
NCCL_IB_RESILIENCY_PORT_RECOVERY_START_DELAY | 2.30.3 | 200 | int 0.. ms | the wait before that
NCCL_IB_RETRY_CNT | 2.1.15 | 7 | int 0..7 | how often an adapter sends a lost packet again
NCCL_IB_RETURN_ASYNC_EVENTS | 2.23 | 1 | flag | events of adapters are reported, fatal ones end the job
NCCL_IB_ROCE_VERSION_NUM | 2.21 | 2 | int 1..2 | the RoCE version of the address that is chosen
NCCL_IB_ROUTABLE_FLID_GID_INDEX | 2.22.3 | 1 | int 0..255 | address index of routed InfiniBand subnets
NCCL_IB_SL | 2.1.4 | 0 | int -1..15 | the InfiniBand service level
NCCL_IB_SPLIT_DATA_ON_QPS | 2.18 | 0 | flag | 1: each message over all queue pairs; 0: whole messages in turn
NCCL_IB_SUBNET_AWARE_ROUTING | 2.30.7 | 0 | flag | joins adapters of the same IP subnet
NCCL_IB_SUBNET_PREFIX_LEN | 2.30.7 | 24 | int 0..128 | how many bits of the address are the subnet
NCCL_IB_TC | 2.1.15 | 0 | int -1..255 | traffic class, on RoCE the type-of-service byte: four times the DSCP
NCCL_IB_TIMEOUT | 2.3.5 | 20 | int 0..31 | exponent of the wait for an acknowledgement: 4.096 us times 2 to this
NCCL_IB_USE_INLINE | 2.8.3 | 0 | flag | small writes travel inside the work request
NCCL_IB_WARN_RAIL_LOCAL | 2.24.3 | 0 | flag | warns when merged adapters do not match rail by rail
NCCL_IGNORE_COLLNET_MISMATCH | 2.30 | 0 | flag | goes on though ranks have different CollNet devices
NCCL_IGNORE_CPU_AFFINITY | 2.4.6 | 0 | flag | threads are bound by the GPU alone, not by the job's affinity
NCCL_IGNORE_DISABLED_P2P | 2.12.7 | 0 | int 0..2 | goes on though the driver says that peer access is off
NCCL_IGNORE_NET_MISMATCH | 2.30 | 1 | flag | goes on though ranks have different numbers of adapters
NCCL_IPC_USE_ABSTRACT_SOCKET | 2.29 | 1 | flag | handles travel through nameless sockets; 0 where ranks have network namespaces of their own
NCCL_L1_SHARED_MEMORY_CARVEOUT | 2.12.10 | 0 | int 0..100 | percent of L1 that NCCL's kernels prefer as shared memory
NCCL_LAUNCH_MODE | 2.1.0 | PARALLEL | one PARALLEL,GROUP | how one process starts kernels on several GPUs
NCCL_LAUNCH_ORDER_IMPLICIT | 2.26 | 0 | flag | calls of several communicators run in program order
NCCL_LAUNCH_RACE_FATAL | 2.26 | 1 | flag | threads that race to start kernels are an error
NCCL_LEGACY_CUDA_REGISTER | 2.24 | 0 | flag | memory of cudaMalloc may be registered
NCCL_LL128_BUFFSIZE | 2.7.3 | automatic | bytes | the slots of the LL128 protocol
NCCL_LL128_C2C | 2.27.3 | 1 | flag | LL128 through adapters behind a chip-to-chip link
NCCL_LL128_NTHREADS | 2.5.6 | 640 | int 160..640 | threads of a block in LL128
NCCL_LL_BUFFSIZE | 2.7.3 | automatic | bytes | the slots of the LL protocol
NCCL_LOCAL_REGISTER | 2.19 | 1 | flag | ncclCommRegister has an effect
NCCL_LSA_TEAM_SIZE | 2.29.7 | automatic | int 0.. | ranks that reach one another by loads and stores
NCCL_MAX_CTAS | 2.17 | automatic | int 1..64 | most channels of a communicator
NCCL_MAX_NCHANNELS | 2.0.5 | automatic | int 1..64 | most channels; the lower of this and NCCL_MAX_CTAS counts | 2.17 NCCL_MAX_CTAS
NCCL_MAX_NRINGS | 2.3.5 | automatic | int 1..64 | another name of NCCL_MAX_NCHANNELS | - NCCL_MAX_CTAS
NCCL_MAX_P2P_NCHANNELS | 2.7.3 | 64 | int 1.. | most channels for send and recv
NCCL_MEM_SYNC_DOMAIN | 2.16 | 1 | int 0..1 | the memory domain in which kernels synchronise
NCCL_MIN_CTAS | 2.17 | automatic | int 1..64 | fewest channels of a communicator
NCCL_MIN_NCHANNELS | 2.2.0 | automatic | int 1..64 | fewest channels; the higher of this and NCCL_MIN_CTAS counts | 2.17 NCCL_MIN_CTAS
NCCL_MIN_NRINGS | 2.3.5 | automatic | int 1..64 | another name of NCCL_MIN_NCHANNELS | - NCCL_MIN_CTAS
NCCL_MIN_P2P_NCHANNELS | 2.7.3 | 1 | int 1.. | fewest channels for send and recv
NCCL_MLOPART_RDMA_ENABLE | 2.30.7 | 0 | flag | RDMA registration on parts of a GPU
NCCL_MNNVL_CLIQUE_ID | 2.25 | the fabric's | int | which NVLink clique this host belongs to
NCCL_MNNVL_CROSS_CLIQUE | 2.30.3 | 0 | flag | cliques of one NVLink domain count as connected
NCCL_MNNVL_ENABLE | 2.21 | 2 | int 0..2 | NVLink between hosts: 0 no, 1 needed, 2 if there
NCCL_MNNVL_RAIL_PER_HOST | 2.28.7 | 0 | flag | each host of an NVLink domain numbers its rails
NCCL_MNNVL_SCATTER_NETS_ENABLE | 2.27.5 | 1 | flag | adapters are spread over the hosts of an NVLink domain
NCCL_MNNVL_UUID | 2.25 | the fabric's | text | the id of the NVLink domain
NCCL_MULTI_RANK_GPU_ENABLE | 2.30 | 0 | flag | several ranks may share a GPU; experimental
NCCL_MULTI_SEGMENT_REGISTER | 2.29.2 | 1 | flag | registers buffers of several physical parts
NCCL_NCHANNELS_PER_NET_PEER | 2.12.7 | automatic | int 1..64 | channels to a peer over the network, for send and recv
NCCL_NET | 2.10 | the first that works | text | which network is used: IB, Socket or a plug-in's name
NCCL_NETDEVS_POLICY | 2.28 | AUTO | text | how adapters are given to GPUs: AUTO, ALL or MAX:n
NCCL_NET_DISABLE_INTRA | 2.12.7 | 0 | flag | no network inside a host
NCCL_NET_FORCE_FLUSH | 2.15.1 | 0 | flag | flushes after adapters wrote GPU memory even where that is not needed
NCCL_NET_FORCE_MERGE | 2.24.3 | | text | adapters that must act as one
NCCL_NET_GDR_C2C | 2.26 | 1 | flag | GPUDirect through a CPU that the GPU reaches chip to chip
NCCL_NET_GDR_LEVEL | 2.3.4 | automatic | level | how far an adapter may be for GPUDirect RDMA
NCCL_NET_GDR_MLOPART | 2.30.7 | 0 | flag | GPUDirect on parts of a GPU
NCCL_NET_GDR_READ | 2.3.5 | 1 with NVLink | flag | adapters read GPU memory when they send
NCCL_NET_MERGE_LEVEL | 2.24.3 | PORT | one PORT,LOC,PIX,PXB,PHB,SYS | how far adapters may be apart that act as one
NCCL_NET_MERGE_POLICY | 2.30.5 | ALL | one ALL,RAIL | which adapters may act as one
NCCL_NET_OPTIONAL_RECV_COMPLETION | 2.24.3 | 1 | flag | plug-ins may leave out completions
NCCL_NET_OVERHEAD | 2.18.1 | 1000 on Intel, 2000 on AMD | int 0.. ns | what posting a message costs, for the choice of algorithm
NCCL_NET_PLUGIN | 2.11 | libnccl-net.so | text | the network plug-in; none: no plug-in
NCCL_NET_PLUGIN_REF_COUNT | 2.26.2 | 0 | flag | counts who uses that plug-in
NCCL_NET_SHARED_BUFFERS | 2.8 | 1 | flag | sends to other hosts share their buffers
NCCL_NET_SHARED_COMMS | 2.12 | 1 | flag | connections through another GPU are shared
NCCL_NO_CACHE | 2.29.7 | | text | settings that are read anew each time, or ALL
NCCL_NSOCKS_PERTHREAD | 2.4.8 | 1, on AWS 8 | int 1..64 | sockets of each helper thread
NCCL_NTHREADS | 2.3.5 | 512 | int 64..512 | threads of a block in NCCL's kernels
NCCL_NUM_RMA_CTX | 2.29.2 | automatic | int | contexts for one-sided calls
NCCL_NVB_DISABLE | 2.11 | 0 | flag | no NVLink way through a third GPU
NCCL_NVB_PRECONNECT | 2.9.9 | 1 | flag | such ways are connected at the start
NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE | 2.27.3 | automatic | flag | channels are ordered by their use of NVLink
NCCL_NVLSTREE_MAX_CHUNKSIZE | 2.20.3 | automatic | bytes | largest piece of NVLSTree
NCCL_NVLS_CHUNKSIZE | 2.21.5 | 131072 | bytes | pieces of NVLS
NCCL_NVLS_ENABLE | 2.17 | 2 | int 0..2 | reductions inside NVSwitch: 0 no, 1 and 2 where supported
NCCL_NVLS_NCHANNELS | 2.17.1 | automatic | int 1..64 | channels of NVLS
NCCL_NVTX_DISABLE | 2.28.3 | 0 | flag | no ranges for profilers
NCCL_OOB_NET_ENABLE | 2.23 | 0 | flag | ranks meet over the fast network
NCCL_OOB_NET_IFNAME | 2.23 | | interfaces | by this interface
NCCL_P2P_DIRECT_DISABLE | 2.12.12 | 0 | flag | GPUs of one process do not touch one another's buffers
NCCL_P2P_DISABLE | 2.3.5 | 0 | flag | no direct way between GPUs, neither NVLink nor PCIe
NCCL_P2P_EPOCH_ENABLE | 2.29.2 | 1 | flag | sends and receives are put together by epoch
NCCL_P2P_LEVEL | 2.3.4 | automatic | level | how far GPUs may be apart for a direct way
NCCL_P2P_LL_THRESHOLD | 2.14 | 16384 | bytes0 | largest send that takes the LL protocol
NCCL_P2P_MAX_PEERS | 2.30.3 | all | int 1.. | most peers of send and recv
NCCL_P2P_NET_CHUNKSIZE | 2.14 | 131072 | bytes | pieces of sends over the network
NCCL_P2P_NVL_CHUNKSIZE | 2.16.2 | 524288 | bytes | pieces of sends over NVLink
NCCL_P2P_PCI_CHUNKSIZE | 2.16.2 | 131072 | bytes | pieces of sends over PCIe
NCCL_P2P_PER_CHANNEL_NET_BW | 2.29.2 | 14 | int 1.. | GB/s that one channel is thought to carry
NCCL_P2P_PXN_LEVEL | 2.12 | 2 | int 0..2 | sends through another GPU's adapter: 0 never, 1 if the own is far, 2 always
NCCL_P2P_READ_ENABLE | 2.7.3 | automatic | flag | a GPU reads its peer instead of writing to it
NCCL_P2P_SCHEDULE_GROUP_SIZE | 2.28.7 | automatic | int 1.. | sends and receives that are ordered together
NCCL_P2P_USE_CUDA_MEMCPY | 2.13.4 | 0 | flag | copy engines between GPUs
NCCL_PARAM_DUMP_ALL | 2.30.3 | false | text | the parameter tool prints private ones too
NCCL_PAT_ENABLE | 2.23.4 | 2 | int 0..2 | the PAT algorithm: 0 no, 1 yes, 2 with one GPU a host
NCCL_PROFILER_PLUGIN | 2.23.4 | | text | a plug-in that profiles
NCCL_PROGRESS_APPENDOP_FREQ | 2.16.5 | 8 | int 1.. | how often the proxy looks for new work
NCCL_PROTO | 2.5 | chosen by cost | protocols | which protocols may be used
NCCL_PROXY_APPEND_BATCH_SIZE | 2.16.2 | 16 | int 1.. | work the proxy takes at a time
NCCL_PROXY_CPUSET | 2.28.3 | | cpus | where proxy threads run
NCCL_PROXY_DUMP_SIGNAL | 2.14.3 | none | int -1..64 | a signal that makes the proxy print its state
NCCL_PXN_C2C | 2.27 | 1 | flag | through another GPU to an adapter behind a chip-to-chip link
NCCL_PXN_DISABLE | 2.12 | 0 | flag | no way through another GPU's adapter
NCCL_RAS_ADDR | 2.24 | localhost:28028 | endpoint | where the RAS service listens
NCCL_RAS_ENABLE | 2.24 | 1 | flag | the RAS service
NCCL_RAS_TIMEOUT_FACTOR | 2.24 | 1 | int 1.. | its time-outs are multiplied by this
NCCL_REPORT_CONNECT_PROGRESS | 2.19.4 | 0 | flag | tells how far connecting has come
NCCL_RMA_DISABLE | 2.30.7 | 0 | flag | no one-sided calls of the host
NCCL_RMA_PLUGIN | 2.30.7 | | text | a plug-in that makes them
NCCL_RMA_PLUGIN_REF_COUNT | 2.30.7 | 0 | flag | counts who uses that plug-in
NCCL_RMA_PROXY_DUMP_SIGNAL | 2.29.2 | none | int -1..64 | a signal that makes their proxy print its state
NCCL_RMA_PROXY_QUEUE_SIZE | 2.29.2 | automatic | int | entries of their queue
NCCL_RUNTIME_CONNECT | 2.22 | 1 | flag | peers are connected when first used
NCCL_SET_CPU_STACK_SIZE | 2.28.3 | 1 | flag | helper threads get a stack of NCCL's size
NCCL_SET_STACK_SIZE | 2.9 | 0 | flag | the GPU's stack is made large enough at the start
NCCL_SET_THREAD_NAME | 2.12 | 0 | flag | threads get names
NCCL_SHADOW_MEMPOOL_MAX_SIZE | 2.30.7 | 1073741824 | bytes0 | largest pool of shadow memory
NCCL_SHM_DISABLE | 2.3.5 | 0 | flag | no shared memory between processes; the network instead
NCCL_SHM_LOCALITY | 2.13.4 | 2 | int 1..2 | whose memory node holds a shared buffer: 1 the sender's, 2 the receiver's
NCCL_SINGLE_PROC_MEM_REG_ENABLE | 2.28.3 | 0 | flag | registers buffers also with several GPUs in a process
NCCL_SOCKET_FAMILY | 2.3.5 | either | one AF_INET,AF_INET6 | which family of addresses is used
NCCL_SOCKET_IFNAME | 2.3.5 | the first that fits | interfaces | the interfaces where ranks meet, and of the socket network
NCCL_SOCKET_INLINE | 2.27.3 | 128 | bytes0 | bytes that travel with a header
NCCL_SOCKET_MAGIC | 2.30.7 | built in | text | what both ends of a socket must say first
NCCL_SOCKET_MIN_TASKSIZE | 2.27.3 | 65536 | bytes | smallest piece of a message that is split over sockets
NCCL_SOCKET_NTHREADS | 2.4.8 | 1, on AWS 2 | int 1..16 | helper threads of a socket connection
NCCL_SOCKET_POLL_TIMEOUT_MSEC | 2.28 | 0 | int 0.. ms | how long one look at a socket waits while ranks meet
NCCL_SOCKET_RCVBUF | 2.27.3 | the system's | int -1.. | receive buffer of sockets
NCCL_SOCKET_RETRY_CNT | 2.24 | 34 | int 0.. | how often a connection is tried
NCCL_SOCKET_RETRY_SLEEP_MSEC | 2.24 | 100 | int 0.. ms | the first wait in between; it grows
NCCL_SOCKET_SNDBUF | 2.27.3 | the system's | int -1.. | send buffer of sockets
NCCL_SYM_CE_THRESHOLD | 2.29.2 | 8388608 | bytes0 | from here copy engines may serve symmetric memory
NCCL_SYM_CTAS | 2.27.3 | automatic | int 0..64 | channels of kernels on symmetric memory
NCCL_SYM_GIN_KERNELS_ENABLE | 2.29.7 | 1 | flag | such kernels may call the network themselves
NCCL_SYM_KERNEL | 2.27.3 | chosen | text | such a kernel by name; ^: none
NCCL_SYM_NOWIN_ENABLE | 2.29.2 | 0 | flag | such kernels without registered windows
NCCL_SYM_REUSE_SYSMEM_HANDLES | 2.30.4 | 0 | flag | handles of host windows are used again
NCCL_SYM_RS_GIN_CHUNK_SIZE | 2.30.7 | automatic | bytes | pieces of their reduce-scatter
NCCL_SYM_TMA_ENABLE | 2.30.3 | 0 | flag | bulk copies of the GPU in such kernels
NCCL_THREAD_THRESHOLDS | 2.5.6 | chosen | text | six numbers: bytes per thread at which more are used
NCCL_TOPO_DUMP_FILE | 2.6 | | output | where the machine as NCCL sees it is written, as XML
NCCL_TOPO_DUMP_FILE_RANK | 2.6.4 | 0 | int 0.. | the rank that writes it
NCCL_TOPO_FILE | 2.6 | /var/run/nvidia-topologyd/virtualTopology.xml | path | the machine, as XML, in place of what NCCL finds
NCCL_TOPO_SPLIT_MLOPART | 2.30.7 | 1 | flag | parts of a GPU are devices of their own
NCCL_TUNER_PLUGIN | 2.19.1 | | text | a plug-in that chooses algorithms
NCCL_UID_STAGGER_RATE | 2.23 | 7000 | int 1.. | messages a second that the meeting point is thought to take
NCCL_UID_STAGGER_THRESHOLD | 2.23 | 256 | int 1.. | from how many ranks on they come one after the other
NCCL_UNPACK_DOUBLE_NCHANNELS | 2.22.3 | 1 | flag | twice the channels with networks that unpack
NCCL_WARN_ENABLE_DEBUG_INFO | 2.19.4 | 0 | flag | INFO lines appear after the first warning
NCCL_WIN_ENABLE | 2.27 | 1 | flag | windows may be registered
NCCL_WIN_STRIDE | 2.27.3 | automatic | int -1.. | distance of symmetric windows in address space
NCCL_WORK_ARGS_BYTES | 2.22.3 | unlimited | bytes | most arguments of a kernel
NCCL_WORK_FIFO_BYTES | 2.22.3 | 1048576 | bytes | the queue of work
)";

}  // namespace tutti::settings
