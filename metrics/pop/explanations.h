// What the metrics that several sets share mean, why they are low and where to look next.
#ifndef PJ_EXPLANATIONS_H
#define PJ_EXPLANATIONS_H

#define EXPLAIN_GLOBAL                                                                             \
    "How well the whole machine allocation is used: parallel efficiency times computation "        \
    "scaling. When it falls with the number of ranks or threads, see which of the two falls: the " \
    "first is time spent waiting and communicating, the second is computation that became more "   \
    "expensive than in the reference run."

#define EXPLAIN_PARALLEL                                                                           \
    "Share of the runtime that an average thread spends in useful computation, outside MPI and "   \
    "the OpenMP runtime. A low value means that parallelisation itself costs time: uneven work, "  \
    "communication, waiting, or threads that idle. The rows below say which of them; look first "  \
    "at the child that is lowest."

#define EXPLAIN_PROCESS_LEVEL                                                                      \
    "Share of the runtime that an average rank spends outside MPI, whatever its threads do "       \
    "meanwhile. It is low when ranks carry different amounts of work or wait for messages. "       \
    "Compare it with the thread level: the lower of the two is the place to begin."

#define EXPLAIN_MPI_LOAD_BALANCE                                                                   \
    "How evenly computation is spread over the ranks: the slowest rank sets the pace for all. "    \
    "Usual causes of a low value are an uneven domain decomposition, work that depends on the "    \
    "data, ranks with extra duties (input and output, a root), or cores that run slower. Plot "    \
    "useful time by rank, then instructions and IPC by rank: uneven instructions mean uneven "     \
    "work, uneven IPC means uneven speed."

#define EXPLAIN_MPI_COMMUNICATION                                                                  \
    "Share of the runtime that the rank with most computation spends outside MPI; what is lost "   \
    "here is lost even with perfect balance. It is low when messages are large or many, or when "  \
    "ranks wait for each other in turn. Transfer and serialisation below tell the two apart."

#define EXPLAIN_MPI_TRANSFER                                                                       \
    "What the network costs: runtime on an ideal network (no latency, infinite bandwidth) over "   \
    "the measured runtime. It is low when much data is sent, when many small messages pay "        \
    "latency each, or when the network is shared or badly placed. Look at the number and size of " \
    "messages; aggregate small ones, overlap transfers with computation, check the placement of "  \
    "ranks."

#define EXPLAIN_MPI_SERIALISATION                                                                  \
    "Waiting that even an ideal network would not remove, because ranks depend on each other in "  \
    "turn: pipelines, chains of messages, imbalance that moves from rank to rank between "         \
    "synchronisations. A low value with a good load balance is typical of work that is even in "   \
    "sum but not in each step. Look at the timeline of one iteration and at the collectives and "  \
    "receives where the waiting gathers."

#define EXPLAIN_THREAD_LEVEL                                                                       \
    "How well the threads inside the ranks are used while their rank is outside MPI. It is low "   \
    "when threads idle in serial parts, wait at the end of parallel regions, or pay for the "      \
    "OpenMP runtime. The two rows below separate serial parts from parallel regions."

#define EXPLAIN_OPENMP_REGION                                                                      \
    "How well the threads are used inside OpenMP regions. A low value comes from uneven "          \
    "iterations, barriers, critical sections and locks, or from regions so short that starting "   \
    "them costs more than their work. Look at the regions one by one, longest first: their load "  \
    "balance tells uneven work (try another schedule or larger regions) from overhead."

#define EXPLAIN_SERIAL_REGION                                                                      \
    "What it costs that only the first thread works outside OpenMP regions while the others "      \
    "idle; this is Amdahl's law at work inside a rank. It falls with every thread added. Find "    \
    "the serial functions between the regions, and run them in parallel or use fewer threads "     \
    "and more ranks."

#define EXPLAIN_COMPUTATION_SCALING                                                                \
    "Total useful time of the reference run over that of this run; below 1 the same problem "      \
    "needs more computing time than before. The three rows below say why: more instructions, "     \
    "fewer instructions per cycle, or a lower clock. In weak scaling the growth of the run is "    \
    "taken out."

#define EXPLAIN_INSTRUCTION_SCALING                                                                \
    "Useful instructions of the reference run over those of this run. Below 1, work is done that " \
    "the reference run did not do: computation repeated on every rank, larger halos, more "        \
    "iterations to convergence, or spinning counted as useful. Compare instructions per region "   \
    "or function between two runs."

#define EXPLAIN_IPC_SCALING                                                                        \
    "Useful instructions per cycle, relative to the reference run. A low value usually means "     \
    "that cores of a node compete for memory bandwidth or shared cache, or that the working set "  \
    "no longer fits. Try fewer ranks or threads per node: if it recovers, memory is the limit; "   \
    "above 1 the smaller share of data per core fits the caches better."

#define EXPLAIN_FREQUENCY_SCALING                                                                  \
    "Cycles per useful time, relative to the reference run: the clock that the cores really had. " \
    "It falls when many busy cores share a power budget (turbo levels), with wide vector units, "  \
    "or when threads are preempted while they seem to run. Check power settings, binding of "      \
    "threads and other load on the nodes."

#define EXPLAIN_MPI_PARALLEL                                                                       \
    "Parallel efficiency of the MPI layer: mean time of the ranks outside MPI over the runtime, "  \
    "whatever the threads do there. It is low when ranks are unevenly loaded or wait in MPI. If "  \
    "it is good and the hybrid value is not, look at the OpenMP rows."

#define EXPLAIN_TALP_MPI                                                                           \
    "Share of the elapsed time that CPUs are not held by MPI, whether they communicate or wait "   \
    "as workers of a rank that does. It is low when processes wait for each other or send much. "  \
    "The rows below tell uneven processes from communication."

#define EXPLAIN_BALANCE_IN                                                                         \
    "How evenly the processes of a node are loaded: the node with most time outside MPI over the " \
    "process with most. A low value can be mended inside a node, by more threads for the slow "    \
    "process or by lending it idle cores."

#define EXPLAIN_BALANCE_OUT                                                                        \
    "How evenly nodes are loaded, whatever happens inside them. A low value asks for another "     \
    "partition of the work or another placement of processes on nodes."

#define EXPLAIN_OFFLOAD                                                                            \
    "What the host loses in calls of a device's runtime: launches, copies, synchronisation. A "    \
    "low value means that the host waits for its devices. Give it work meanwhile, launch "         \
    "asynchronously, or see why kernels take long."

#define EXPLAIN_DEVICES                                                                            \
    "Share of the elapsed time in which an average device computes. It is the product of the "     \
    "three rows below: uneven devices, transfers that no kernel hides, and devices that nobody "   \
    "keeps busy."

#define EXPLAIN_DEVICE_BALANCE                                                                     \
    "How evenly kernels are spread over devices: the busiest one sets the pace. A device that "    \
    "does nothing counts, too. See whether ranks have work of one size for each device."

#define EXPLAIN_DEVICE_COMMUNICATION                                                               \
    "What transfers cost that no kernel of the device hides. A low value asks for fewer copies, "  \
    "or for copies that overlap with kernels in another stream. Look at what goes to and fro in "  \
    "each iteration."

#define EXPLAIN_DEVICE_ORCHESTRATION                                                               \
    "Share of the elapsed time in which the busiest device does anything. A low value means that " \
    "the host does not keep it busy: serial host code, MPI, late launches. Look at what the host " \
    "does while the device is idle."

#endif
