#include "settings/tables.hpp"

namespace tutti::settings {

// name | default | kind | what it does. tests/settings compares the names with those that the library reads.
const std::string_view tutti_table = R"(
TUTTI_RANK | from the launcher | int 0.. | this rank
TUTTI_WORLD_SIZE | from the launcher | int 1.. | how many ranks there are
TUTTI_STORE | from the launcher | text | where ranks meet: tcp://host:port or unix:name
TUTTI_LISTEN | the store's host | text | the address or interface that rank 0 listens on
TUTTI_JOB | from the launcher | text | a name that no other job has
TUTTI_SECRET | none | text | what the ranks share and others do not know
TUTTI_TIMEOUT | 5min | duration | how long ranks wait to meet one another
TUTTI_HOST_ID | of the machine | text | ranks with different ones behave as on different machines
TUTTI_CALL_TIMEOUT | 5min | duration | of a call that names none
TUTTI_CHECK_ACROSS_RANKS | 0 | flag | compares the ranks' calls, so that a mismatch is an error
TUTTI_MOST_SHARED_MEMORY | no limit | text | of a communicator and those made from it, on a host: 64M
TUTTI_PROGRESS_THREAD | 0 | flag | calls move on while nobody waits
TUTTI_FLIGHT_RECORDER | /tmp/tutti-UID | text | the directory for the files of each rank's last calls; memory: no file
TUTTI_TUNING | none | text | the file of tutti tune: which way is quickest on this machine
TUTTI_METRICS | none | text | where metrics can be read: a port, ADDRESS:PORT, file:FOLDER, or one of each with a comma
TUTTI_TRACE | none | text | the folder in which each rank writes a trace of all its calls
)";

// name, with * at the end for a family | kind | what it does | since Open MPI 5
const std::string_view mpi_table = R"(
OMPI_MCA_pml | text | the layer for messages between two ranks: ucx, ob1, cm |
OMPI_MCA_btl | text | the transports under pml ob1: self, vader, tcp | the shared-memory transport is called sm, no longer vader; openib is gone
OMPI_MCA_mtl | text | the transports under pml cm: ofi, psm2 |
OMPI_MCA_osc | text | the layer for one-sided calls |
OMPI_MCA_coll | text | the components that make collectives |
OMPI_MCA_io | text | the component for files |
OMPI_MCA_op | text | the components that reduce |
OMPI_MCA_btl_tcp_if_include | interfaces | interfaces or address ranges of MPI's TCP transport |
OMPI_MCA_btl_tcp_if_exclude | text | interfaces that MPI's TCP transport leaves alone |
OMPI_MCA_btl_tcp_links | int 1.. | TCP connections between two ranks |
OMPI_MCA_btl_tcp_* | text | the TCP transport |
OMPI_MCA_btl_vader_single_copy_mechanism | one cma,knem,xpmem,none | how one rank reads another's memory | it is OMPI_MCA_smsc
OMPI_MCA_btl_vader_* | text | the shared-memory transport | its names begin with btl_sm
OMPI_MCA_btl_sm_* | text | the shared-memory transport, from Open MPI 5 on |
OMPI_MCA_btl_self_* | text | messages of a rank to itself |
OMPI_MCA_btl_uct_* | text | one-sided calls by UCX |
OMPI_MCA_btl_openib_* | text | InfiniBand without UCX | gone; OMPI_MCA_pml=ucx is the way
OMPI_MCA_btl_base_* | text | all transports under pml ob1 |
OMPI_MCA_pml_ucx_tls | text | UCX transports that make pml ucx worth choosing |
OMPI_MCA_pml_ucx_devices | text | devices that make pml ucx worth choosing |
OMPI_MCA_pml_* | text | the layer for messages between two ranks |
OMPI_MCA_mtl_* | text | the transports under pml cm |
OMPI_MCA_osc_* | text | the layer for one-sided calls |
OMPI_MCA_coll_hcoll_enable | flag | collectives by NVIDIA's hcoll |
OMPI_MCA_coll_tuned_use_dynamic_rules | flag | the algorithm settings below have an effect |
OMPI_MCA_coll_tuned_allreduce_algorithm | int 0..6 | 1 linear, 2 not overlapping, 3 recursive doubling, 4 ring, 5 segmented ring, 6 Rabenseifner |
OMPI_MCA_coll_tuned_* | text | algorithms of collectives |
OMPI_MCA_coll_* | text | collectives |
OMPI_MCA_rmaps_* | text | where ranks are placed | it is PRTE_MCA_rmaps_…
OMPI_MCA_hwloc_base_binding_policy | text | what ranks are bound to: core, socket, numa, none | it is PRTE_MCA_hwloc_default_binding_policy
OMPI_MCA_hwloc_* | text | binding and the machine's description | it is PRTE_MCA_hwloc_…
OMPI_MCA_orte_* | text | the launcher | it is PRTE_MCA_…
OMPI_MCA_oob_tcp_if_include | interfaces | interfaces by which the launcher talks | it is PRTE_MCA_prte_if_include
OMPI_MCA_oob_tcp_if_exclude | text | interfaces that the launcher leaves alone | it is PRTE_MCA_prte_if_exclude
OMPI_MCA_oob_* | text | how the launcher talks | it is PRTE_MCA_…
OMPI_MCA_plm_* | text | how ranks are started | it is PRTE_MCA_plm_…
OMPI_MCA_ras_* | text | which hosts there are | it is PRTE_MCA_ras_…
OMPI_MCA_ess_* | text | how the launcher starts |
OMPI_MCA_routed_* | text | the launcher's tree |
OMPI_MCA_shmem_* | text | the kind of shared memory |
OMPI_MCA_mpi_yield_when_idle | flag | waiting ranks give the processor away |
OMPI_MCA_mpi_leave_pinned | int -1..1 | memory stays registered |
OMPI_MCA_mpi_param_check | flag | arguments are checked |
OMPI_MCA_mpi_* | text | MPI itself |
OMPI_MCA_mca_base_* | text | how components and settings are found |
OMPI_MCA_mca | text | settings of the launcher's own |
OMPI_MCA_opal_cuda_support | flag | GPU buffers in MPI calls |
OMPI_MCA_opal_* | text | the lowest layer |
OMPI_MCA_pmix* | text | PMIx |
OMPI_MCA_io_* | text | files |
OMPI_MCA_event_* | text | the event library |
OMPI_MCA_initial_wdir | text | set by mpirun |
OMPI_MCA_smsc* | text | single-copy shared memory, from Open MPI 5 on |
OMPI_MCA_accelerator* | text | GPU buffers, from Open MPI 5 on |
OMPI_MCA_if_* | text | the list of interfaces |
OMPI_MCA_memory_* | text | hooks into memory management |
)";

// name, with * at the end for a family | kind | what it does
const std::string_view ucx_table = R"(
UCX_TLS | text | transports that may be used: rc, ud, dc, tcp, sm, cuda_copy, cuda_ipc, self; ^ excludes
UCX_NET_DEVICES | devices | adapters with port (mlx5_0:1) and interfaces that may be used
UCX_SHM_DEVICES | text | shared-memory devices that may be used
UCX_ACC_DEVICES | text | GPU devices that may be used
UCX_SELF_DEVICES | text | devices for messages to oneself
UCX_IB_GID_INDEX | text | which RoCE address of a port is used, or auto
UCX_IB_SL | text | the InfiniBand service level, or auto
UCX_IB_TRAFFIC_CLASS | text | traffic class, on RoCE four times the DSCP, or auto
UCX_IB_PKEY | text | the partition key, or auto
UCX_IB_NUM_PATHS | text | ways through the network that are used, or auto
UCX_IB_AR_ENABLE | text | adaptive routing: y, n, try, auto
UCX_IB_PCI_RELAXED_ORDERING | text | relaxed order on PCIe: on, off, auto
UCX_IB_GPU_DIRECT_RDMA | text | GPUDirect RDMA: y, n, try
UCX_IB_REG_METHODS | text | how memory is registered
UCX_IB_PREFER_NEAREST_DEVICE | flag | takes the adapter that is nearest
UCX_IB_ROCE_PATH_FACTOR | text | spreads RoCE over several ways
UCX_IB_ROCE_LOCAL_SUBNET | flag | only peers of the same subnet
UCX_IB_PATH_MTU | text | bytes of a packet, or default
UCX_IB_* | text | InfiniBand and RoCE
UCX_RC_TIMEOUT | text | wait for an acknowledgement, with unit: 1.00s
UCX_RC_RETRY_COUNT | int 0..7 | how often a lost packet is sent again
UCX_RC_RNR_TIMEOUT | text | wait when the receiver is not ready, with unit: 1.00ms
UCX_RC_RNR_RETRY_COUNT | int 0..7 | how often that is tried
UCX_RC_* | text | reliable connections
UCX_UD_* | text | unreliable datagrams
UCX_DC_* | text | dynamic connections
UCX_TCP_* | text | TCP
UCX_SYSV_* | text | System V shared memory
UCX_POSIX_* | text | POSIX shared memory
UCX_MM_* | text | shared memory
UCX_CMA_* | text | copies by the kernel
UCX_KNEM_* | text | copies by knem
UCX_XPMEM_* | text | mapped peers
UCX_CUDA_* | text | GPU memory
UCX_GDR_COPY_* | text | GDRCopy
UCX_ROCM_* | text | memory of AMD's GPUs
UCX_RNDV_THRESH | text | from which size on the receiver is asked first
UCX_RNDV_SCHEME | one get_zcopy,put_zcopy,get_ppln,put_ppln,rkey_ptr,am,rtr,auto | who moves the bytes then
UCX_RNDV_* | text | large messages
UCX_ZCOPY_THRESH | text | from which size on nothing is copied
UCX_BCOPY_THRESH | text | from which size on buffers are used
UCX_MAX_EAGER_LANES | text | adapters that share small messages; older name of UCX_MAX_EAGER_RAILS
UCX_MAX_EAGER_RAILS | text | adapters that share small messages
UCX_MAX_RNDV_LANES | text | adapters that share large messages; older name of UCX_MAX_RNDV_RAILS
UCX_MAX_RNDV_RAILS | text | adapters that share large messages
UCX_MULTI_LANE_MAX_RATIO | text | how much slower an adapter may be that takes its share
UCX_MEMTYPE_CACHE | text | remembers where memory lies: y, n, try
UCX_MEMTYPE_REG_WHOLE_ALLOC_TYPES | text | memory that is registered whole
UCX_MEM_* | text | hooks into memory management
UCX_REG_* | text | registration
UCX_RCACHE_* | text | the cache of registrations
UCX_TM_* | text | tag matching by the adapter
UCX_PROTO_ENABLE | flag | the newer choice of protocols
UCX_PROTO_INFO | text | prints what was chosen: y, n, used
UCX_PROTO_* | text | the choice of protocols
UCX_PROTOS | text | protocols that may be used
UCX_UNIFIED_MODE | flag | all hosts are alike, so fewer facts are exchanged
UCX_USE_MT_MUTEX | flag | a mutex, not a spin lock
UCX_ADAPTIVE_PROGRESS | flag | only used devices are polled
UCX_SOCKADDR_TLS_PRIORITY | text | how peers are found by address
UCX_SOCKADDR_AUX_TLS | text | transports that help with that
UCX_CM_USE_ALL_DEVICES | flag | connects over all devices
UCX_NUM_EPS | text | how many peers are expected, or auto
UCX_NUM_PPN | text | how many ranks a host has, or auto
UCX_ADDRESS_DEBUG_INFO | flag | addresses tell their names
UCX_KEEPALIVE_INTERVAL | text | how often peers are looked for
UCX_KEEPALIVE_NUM_EPS | int 0.. | how many at a time
UCX_HANDLE_ERRORS | text | what is printed after a crash
UCX_ERROR_* | text | what counts as a crash
UCX_LOG_LEVEL | one fatal,error,warn,info,debug,trace,req,data,async,func,poll,diag | how much is logged
UCX_LOG_FILE | text | where the log goes
UCX_LOG_* | text | the log
UCX_WARN_UNUSED_ENV_VARS | flag | warns about settings that UCX did not read
UCX_WARN_INVALID_CONFIG | flag | warns about settings that make no sense
UCX_STATS_* | text | statistics
UCX_PROFILE_* | text | profiles
UCX_VFS_* | text | the state as files
UCX_MODULES | text | modules that may be loaded
UCX_MODULE_* | text | where modules lie
UCX_SELECT_DISTANCE_MD | text | memory domains that distances are asked of
UCX_TOPO_PRIO | text | where distances come from
UCX_FLUSH_WORKER_EPS | flag | ends wait for all messages
UCX_SELF_* | text | messages to oneself
UCX_ASYNC_* | text | the helper thread
UCX_DEVICE_SPECS | text | adapters that UCX does not know
UCX_CONFIG_DIR | path | the folder of ucx.conf
UCX_RKEY_* | text | keys of remote memory
UCX_EP_CHECK | text | looks whether peers live
)";

}  // namespace tutti::settings
