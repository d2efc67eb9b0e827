#!/bin/bash
#SBATCH --export=ALL,NCCL_CROSS_NIC=0
export NCCL_PROTO="Simple" NCCL_SOCKET_IFNAME='^lo,docker0'
setenv NCCL_NTHREADS 256
NCCL_NET=IB \
  NCCL_IB_SL=3 mpirun -np 2 -x NCCL_DEBUG=INFO --mca btl_tcp_if_include eth0 ./app; NCCL_IB_TC=106 ./app
unset NCCL_CHECK_POINTERS
export NCCL_TOPO_FILE=$HOME/topo.xml
docker run -e NCCL_SHM_DISABLE=1 image
