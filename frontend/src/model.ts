/**
 * The report as the backend sends it, generated from its JSON Schema: `make model` writes this file.
 *
 * `_ns` are integer nanoseconds, `_bytes` integer bytes, `_ratio` shares 0..1, `_ms` milliseconds on
 * the timeline of one host. `null` means "the profile does not say". All text is plain text.
 */

/**
 * Everything that is shown. Every rule's id appears exactly once in the rule lists.
 */
export interface Report {
  schema_version: number;
  tool_version: string;
  run: string;
  headline: string;
  advice: string;
  hosts: string[];
  devices: Device[];
  steps: Steps;
  ledger: Ledger | null;
  key_numbers: KeyNumbers;
  trust: Finding[];
  findings: Finding[];
  passed: Row[];
  not_applicable: Row[];
  missing_data: Row[];
  manual: Row[];
  errors: Row[];
  allreduce: AllReduce | null;
  stagger: Stagger | null;
  input: Input | null;
  anomalies: Anomaly[];
  timing: Stage[];
  by_host: HostTimes[];
  training: Training[];
  idle: IdleAccount[];
  launches: LaunchLatency[];
  phases: Phases | null;
  ops: OpTable | null;
  kernels: KernelTable | null;
  host_ops: HostOpTable | null;
  memory: Memory | null;
  tried: Tried[];
  workload: Workload;
  omitted: Omitted[];
  gpus: Gpus;
}

/**
 * One visible GPU. `busy_ratio`: share of the judged time in which anything ran on it.
 */
export interface Device {
  host: string;
  device: string;
  name: string;
  compute_capability: string | null;
  busy_ratio: number;
  participates: boolean;
  memory_bytes: number | null;
}

/**
 * The judged steps; `items` holds at most `items_cap` of `items_total` steps of single hosts, `columns` at most
 * `columns_cap` of `columns_total` steps of the run, in time order.
 */
export interface Steps {
  count: number;
  source: 'function_runs' | 'jit_calls' | 'markers' | 'modules' | 'none' | 'period' | 'steps_line';
  mean_ns: number;
  p50_ns: number;
  p95_ns: number;
  max_ns: number;
  items: StepItem[];
  items_total: number;
  items_cap: number;
  columns: StepColumn[];
  columns_total: number;
  columns_cap: number;
}

/**
 * One step of one host. `judged` is false for partial and warm-up steps.
 */
export interface StepItem {
  number: number;
  host: string;
  begin_ms: number;
  end_ms: number;
  judged: boolean;
  note: string;
  devices: StepDevice[];
}

/**
 * Account sums of one GPU in one step: account id → ns.
 */
export interface StepDevice {
  device: string;
  accounts: {
    [k: string]: number;
  };
}
/**
 * One step, averaged over the GPUs of the hosts that judge it, or of all that recorded it if none does. `number`: as
 * the first host counts; `id` names the step in addresses, and differs from the number where a number recurs.
 * `begin_ms`/`end_ms`: on the first `host` that recorded it. `accounts` (id → ns, those with time) add up to
 * `step_ns` exactly; none without a GPU. `judged`: on any of its hosts; `outlier`: on one of them it is much longer
 * than the others; `note`: why it is left out or partial.
 */
export interface StepColumn {
  id: string;
  number: number;
  host: string;
  begin_ms: number;
  end_ms: number;
  step_ns: number;
  accounts: {
    [k: string]: number;
  };

  gpus_count: number;
  judged: boolean;
  outlier: boolean;
  note: string;
}

/**
 * Where an average step goes, averaged over judged steps and participating GPUs. The `ns` of `accounts` add up to
 * `step_ns` exactly. `compute` splits the account `compute` by kernel class and adds up to it exactly. `devices`: a
 * row for each of `devices_total` GPUs; of more than 16 those first that do most themselves in a step, without
 * waiting. `hidden_*_ns` is communication and copying that ran under compute and therefore cost nothing.
 */
export interface Ledger {
  step_ns: number;
  accounts: Account[];
  compute: Account[];
  devices: DeviceAccounts[];
  devices_total: number;
  hidden_communication_ns: number;
  hidden_copy_ns: number;
}

/**
 * Time of one ledger account in an average step; `ratio` is its share of the step.
 */
export interface Account {
  id: string;
  ns: number;
  ratio: number;
}

/**
 * The ledger of one GPU: its accounts, those with time, add up to `step_ns` exactly.
 */
export interface DeviceAccounts {
  host: string;
  device: string;
  step_ns: number;
  accounts: Account[];
}

/**
 * The numbers that the guide tells to maximise; `None` where the profile does not say. `ops_on_device_ratio` is by
 * time, `ops_on_device_count_ratio` by count.
 */
export interface KeyNumbers {
  device_time_ratio: number | null;
  ops_on_device_ratio: number | null;
  ops_on_device_count_ratio: number | null;
  compute_16bit_ratio: number | null;
  compute_tf32_ratio: number | null;
  gpu_busy_ratio: number | null;
}

/**
 * One thing that costs time. `explains` holds the findings folded under it.
 */
export interface Finding {
  id: string;
  title: string;
  group: 'capture' | 'input' | 'one_gpu' | 'precision' | 'several_gpus';
  severity: 'critical' | 'info' | 'warning';
  confidence: 'high' | 'low' | 'medium';
  summary: string;
  saving: Saving | null;
  guide: Guide;
  evidence: Evidence[];
  where: Place[];
  fix: Fix;
  explains: Finding[];
}

/**
 * What a step would gain; `bound` is true for "up to". `basis` says how it was derived. `accounts`: ledger account →
 * ns of the saving; they add up to `ns`. `once_ns`: the time in a single step if nearly all of it lies in one of only
 * a few recorded steps, else 0.
 */
export interface Saving {
  ns: number;
  ratio: number;
  basis: string;
  bound: boolean;
  accounts: {
    [k: string]: number;
  };

  once_ns: number;
}

/**
 * The section of a public guide that a rule comes from.
 */
export interface Guide {
  section: string;
  url: string;
}

/**
 * One number (or word) with its unit, the threshold it is held against, and its source.
 */
export interface Evidence {
  label: string;
  value: number | string;
  unit: 'GB/s' | 'bytes' | 'count' | 'ns' | 'per_step' | 'ratio' | 'text' | 'times';
  threshold: number | null;
  source: string;
}

/**
 * A range on the timeline of `host`, in milliseconds; what to look at in the trace viewer.
 */
export interface Place {
  host: string;
  begin_ms: number;
  end_ms: number;
  label: string;
  device: string | null;
  stream: string | null;
  step: number | null;
}

/**
 * What to change; the most useful action comes first.
 */
export interface Fix {
  summary: string;
  actions: string[];
  snippets: Snippet[];
  links: Link[];
}

/**
 * Code to copy; `framework` is "Keras", "custom loop", "shell", "JAX" …
 */
export interface Snippet {
  framework: string;
  code: string;
}

/**
 * Where to read on.
 */
export interface Link {
  title: string;
  url: string;
}

/**
 * A rule without a finding: passed, not applicable, missing data, by hand, or failed. `reason`: one sentence with the
 * rule's number, or why the rule did not judge; `how`: how to record what is missing, or how to check by hand.
 */
export interface Row {
  id: string;
  title: string;
  reason: string;
  how: string;
}

/**
 * AllReduce per average step; `None` where the profile and the user do not say. Without recorded collectives
 * `measured_ns` and what belongs to it are `None`: only estimates stand. `parameters_basis` says how the number of
 * parameters is known. `bandwidth_gbps`: GB/s per GPU and direction. `difference`: in plain words, why measured and
 * estimate differ. `calls`: at most `calls_cap` of `calls_total` collective calls of judged steps (of any kind),
 * longest first.
 */
export interface AllReduce {
  participants: number;
  hosts_count: number;
  calls_per_step: number;
  bytes_per_step: number | null;
  bytes_source: string;
  parameters: number | null;
  parameters_source: 'estimated' | 'given' | 'recorded' | 'unknown';
  parameters_basis: string;
  bandwidth_gbps: number | null;
  bandwidth_source: string;
  guide_ns: number | null;
  ring_bound_ns: number | null;
  achievable_ns: number | null;
  achievable_source: string;
  measured_ns: number | null;
  transfer_ns: number | null;
  wait_ns: number | null;
  busbw_gbps: number | null;
  exposed_ns: number | null;
  hidden_ns: number | null;
  difference: string;
  devices: AllReduceDevice[];
  steps: AllReduceStep[];
  sizes: AllReduceSize[];
  calls: CollectiveCall[];
  calls_total: number;
  calls_cap: number;
}

/**
 * Transfer and waiting of one GPU in an average step. `last_ratio`: share of calls in which this GPU came last;
 * `caused_wait_ns`: waiting of an average other GPU for this one, per step.
 */
export interface AllReduceDevice {
  host: string;
  device: string;
  transfer_ns: number;
  wait_ns: number;
  last_ratio: number;
  caused_wait_ns: number;
}

/**
 * Transfer, waiting and what no compute hides of both, of one step, averaged over GPUs.
 */
export interface AllReduceStep {
  step: number;
  transfer_ns: number;
  wait_ns: number;
  exposed_ns: number;
}

/**
 * Calls of one bucket of sizes, per average step and GPU. `up_to_bytes`: upper end of the bucket, `None` for the
 * largest; `busbw_gbps` and `achievable_gbps`: bus bandwidth reached, and what this link reaches at such sizes.
 */
export interface AllReduceSize {
  up_to_bytes: number | null;
  calls_per_step: number;
  bytes_per_step: number;
  transfer_ns: number;
  busbw_gbps: number | null;
  achievable_gbps: number | null;
  achievable_source: string;
}

/**
 * One call, matched across GPUs. `begin_ms`/`end_ms`: first arrival and end on the timeline of `host`; `transfer_ns`:
 * from the last arrival to the end; `wait_ns`: waiting of all participants together; `exposed_ns`: what no compute
 * hides, on the GPU where that is most; `last`: the GPU that came last ("GPU:3", with "HOST " in front if the call
 * joins hosts), "" if the call was not matched.
 */
export interface CollectiveCall {
  kind: string;
  step: number;
  host: string;
  begin_ms: number;
  end_ms: number;
  participants: number;
  hosts_count: number;
  size_bytes: number | null;
  transfer_ns: number;
  wait_ns: number;
  exposed_ns: number;
  last: string;
}

/**
 * How late each GPU of `host` starts the step: of all hosts the one whose GPUs start furthest apart. `cost_ns`: time
 * per step that GPUs lose by it; `launch_spread_ns`: median spread of first launches; `devices`: the GPUs from the
 * first to the last to start, by their median; `one_thread`: whether one host thread launches first for all of them;
 * `private_threads`: each GPU has launch threads of its own. `items`: of `steps_total` steps the `steps_cap` whose
 * GPUs start furthest apart, in time order.
 */
export interface Stagger {
  host: string;
  order: 'fixed' | 'none' | 'rotating';
  spread_ns: number;
  launch_spread_ns: number | null;
  cost_ns: number;
  devices: string[];
  one_thread: boolean | null;
  private_threads: boolean;
  items: StaggerItem[];
  steps_total: number;
  steps_cap: number;
}

/**
 * One GPU in one step. `_ns` count from the first kernel of that step on any GPU, `_ms` on the host's timeline;
 * `idle_ns`: idle in this step while a sibling is in it; `wait_ns`: waiting in collectives for a sibling that started
 * later; `thread`: the host thread that launched first for this GPU, "" if not recorded.
 */
export interface StaggerItem {
  step: number;
  host: string;
  device: string;
  first_launch_ns: number | null;
  first_kernel_ns: number;
  last_kernel_ns: number;
  begin_ms: number;
  end_ms: number;
  idle_ns: number;
  wait_ns: number;
  thread: string;
}

/**
 * The input pipelines, the one that steps wait longest for first in `pipelines`; of `hosts_total` hosts those of the
 * 16 whose steps wait longest. `critical_path`: names on the path of that pipeline's slowest request, from the step
 * upstream; `bottleneck` names the iterator that it waits for, `sentence` says it in words.
 */
export interface Input {
  iterators: Iterator[];
  pipelines: Pipeline[];
  critical_path: string[];
  bottleneck: string | null;
  sentence: string;
  hosts_total: number;
}

/**
 * One tf.data iterator of one host; iterators are in the order of a printed tree. `pipeline`: number of its pipeline
 * on the host; `depth`: distance from the root; `parent`: index of the iterator that it feeds. `written`: as in the
 * user's program; `stage`: what it does (reading on demand, reading ahead, preprocessing, Python, batching, transfer,
 * passing on). `self_ns`: its own work, on whatever thread; `batch_ns`: that per batch, where `at_once` calls at the
 * same time count once. `wait_ratio`: the share of the time in which steps wait that it works in. `slow_calls_count`:
 * those above 50 µs. `buffered_elements`: mean fill. `filtered_ratio`: share of elements that a filter drops.
 */
export interface Iterator {
  host: string;
  pipeline: number;
  depth: number;
  parent: number | null;
  name: string;
  kind: string;
  written: string;
  stage: string;
  calls_count: number;
  slow_calls_count: number;
  total_ns: number;
  self_ns: number;
  batch_ns: number;
  at_once: number;
  wait_ratio: number;
  parallelism: number | null;
  autotune: boolean | null;
  buffered_elements: number | null;
  buffer_limit: number | null;
  element_bytes: number | null;
  filtered_ratio: number | null;
  on_critical_path: boolean;
  is_bottleneck: boolean;
}

/**
 * A pipeline that steps ask for batches. `iterators`: indices of its iterators and of those of the pipeline that
 * feeds it; `wait_ns`: waiting for it in an average step of the host, that is `wait_ratio` of the step; `slowest_ns`:
 * its longest request; `bottleneck`: index of the iterator that steps wait for, `None` if they do not or the profile
 * does not tell.
 */
export interface Pipeline {
  host: string;
  number: number;
  iterators: number[];
  wait_ns: number;
  wait_ratio: number;
  slowest_ns: number;
  batch_bytes: number | null;
  bottleneck: number | null;
}

/**
 * Something the reader skipped, clipped or guessed.
 */
export interface Anomaly {
  name: string;
  count: number;
  severity: 'data_loss' | 'error' | 'info';
  sentence: string;
}

/**
 * What one stage of the analysis took.
 */
export interface Stage {
  stage: string;
  ns: number;
}

/**
 * One host in an average judged step. `late_ns`: how much later than the first host its GPUs arrive at collectives
 * that join hosts, median; `clock_offset_ns`: added to its times it gives the first host's; `clock_uncertainty_ns`:
 * how well that is known; `clock_source`: "collectives" (their common end), "wall clock", "same host" or "unknown".
 * `slow`: late in most steps by more than the usual scatter between hosts. `step_shift`: added to its numbers of
 * steps it gives the first host's.
 */
export interface HostTimes {
  host: string;
  gpus_count: number;
  steps_count: number;
  step_ns: number;
  own_ns: number;
  compute_ns: number;
  input_ns: number;
  wait_ns: number;
  late_ns: number | null;
  clock_offset_ns: number | null;
  clock_uncertainty_ns: number | null;
  clock_source: 'collectives' | 'same host' | 'unknown' | 'wall clock';
  slow: boolean;
  steps: HostStep[];
  step_shift: number;
}

/**
 * One step of one host: `own_ns` is the step without waiting in collectives, `wait_ns` the waiting, both averaged
 * over the host's GPUs.
 */
export interface HostStep {
  step: number;
  own_ns: number;
  wait_ns: number;
}

/**
 * What the training recorded of itself (DiagnosticsCallback), all of it, ready to be shown. `file`: its path relative
 * to the log directory; `host`: who wrote it; `recorded`: when, in UTC.
 */
export interface Training {
  file: string;
  host: string;
  recorded: string;
  facts: Fact[];
}

/**
 * Something that the training wrote down itself, in words: label and value.
 */
export interface Fact {
  label: string;
  value: string;
}

/**
 * Why GPUs were idle: one idle account of the average step; `longest_ns`: its longest stretch. `cause`: what the host
 * did meanwhile, as far as it was recorded, during `covered_ns` of it; `None` if nothing that was recorded covers 80
 * % of it. `sentence` says that; both only from 1 % of the step on.
 */
export interface IdleAccount {
  account: string;
  ns: number;
  ratio: number;
  longest_ns: number;
  cause: string | null;
  covered_ns: number;
  sentence: string;
}

/**
 * From the begin of a launch call to that of its kernel on one GPU, where the stream was free by then. `count`: such
 * launches in judged steps.
 */
export interface LaunchLatency {
  host: string;
  device: string;
  count: number;
  median_ns: number;
  p95_ns: number;
}

/**
 * The account `compute` of the average step by phase of training, told from the name scopes of ops. The `ns` of
 * `items` (`forward`, `loss`, `backward`, `optimizer`, `other`) add up to the account `compute` exactly; their
 * `ratio` is a share of compute. `told_ratio`: share of compute whose phase names tell. If that is too little,
 * `items` is `None` and `reason` says why.
 */
export interface Phases {
  items: Account[] | null;
  told_ratio: number;
  reason: string;
}

/**
 * The `cap` ops with the most time, of `total`, and what all of them add up to by type.
 */
export interface OpTable {
  types: OpType[];
  rows: Op[];
  total: number;
  cap: number;
}

/**
 * All ops of one type in one phase, per average step and GPU; times as in `Op`.
 */
export interface OpType {
  type: string;
  phase: string;
  ops: number;
  count_per_step: number;
  ns: number;
  ratio: number;
  mean_ns: number;
}

/**
 * One op on the GPUs, replicas together, per average step and GPU. `ns`: time of its kernels, each counted in full;
 * `ratio`: share of all kernel time. `kernels`: how many different kernels or configurations it launches. `mean_ns`,
 * `min_ns`, `max_ns`: of one kernel.
 */
export interface Op {
  name: string;
  type: string;
  phase: string;
  kernels: number;
  count_per_step: number;
  ns: number;
  ratio: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
}

/**
 * The `cap` kernels with the most time, of `total`.
 */
export interface KernelTable {
  rows: Kernel[];
  total: number;
  cap: number;
}

/**
 * One kernel as one op launches it with one configuration, per average step and GPU. `kernel_class`: what it
 * computes; `precision`: "16 bit", "TF32", "32 bit", "64 bit" or "" if unknown; `eligible`: whether it could run on
 * Tensor Cores; `grid`/`block`: "x,y,z", "" if not recorded; `occupancy_ratio`: threads at work of those that a
 * multiprocessor can hold, in theory.
 */
export interface Kernel {
  name: string;
  op: string;
  phase: string;
  kernel_class: string;
  precision: string;
  tensor_cores: boolean;
  eligible: boolean | null;
  registers: number | null;
  shared_bytes: number | null;
  grid: string;
  block: string;
  occupancy_ratio: number | null;
  count_per_step: number;
  ns: number;
  ratio: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
}

/**
 * The `cap` ops of hosts with the most time of their own, of `total`.
 */
export interface HostOpTable {
  rows: HostOp[];
  total: number;
  cap: number;
}

/**
 * One op on threads of a host, replicas together, per average step and host. `self_ns`: `ns` without the ops that run
 * inside it.
 */
export interface HostOp {
  name: string;
  type: string;
  calls_per_step: number;
  ns: number;
  self_ns: number;
}

/**
 * Memory of the GPUs whose allocator was recorded, the fullest first: of `devices_total` at most 16. `batch_growth`:
 * how many times as large a batch fits the fullest GPU, by proportion and leaving a tenth free; `None` where no
 * complete step was recorded or nothing comes and goes.
 */
export interface Memory {
  devices: GpuMemory[];
  devices_total: number;
  batch_growth: number | null;
}

/**
 * One GPU's allocator. `peak_bytes`: most in use since the program began; `recorded_peak_bytes`: during the
 * recording, at `peak_ms`; `lasting_bytes`: least in use during it. At the recorded peak: `before_bytes` were
 * allocated before the recording; `alive` are the largest holders of the rest, `alive_total` in all, matched by the
 * block's `address`, by `order` of its size, or not at all (`none`); `fragmentation_ratio`: share of the free memory
 * outside its largest block, `free_block_bytes`. `points`: the timeline, thinned out but for peaks and valleys.
 */
export interface GpuMemory {
  host: string;
  device: string;
  capacity_bytes: number;
  peak_bytes: number;
  recorded_peak_bytes: number;
  peak_ms: number;
  lasting_bytes: number;
  before_bytes: number;
  fragmentation_ratio: number | null;
  free_block_bytes: number | null;
  alive: Allocation[];
  alive_total: number;
  matched: 'address' | 'none' | 'order';
  points: MemoryPoints;
}

/**
 * What one op has allocated during the recording and not freed at the peak, in `count` blocks.
 */
export interface Allocation {
  op: string;
  size_bytes: number;
  count: number;
}

/**
 * Bytes in use at moments of the host's timeline: a column each, as there are hundreds.
 */
export interface MemoryPoints {
  at_ms: number[];
  used_bytes: number[];
}

/**
 * A threshold that is tried out: this report was judged with `value` instead of `default`. `rule` is a rule's id, or
 * `severity` for the shares of the step from which a finding has a severity.
 */
export interface Tried {
  rule: string;
  threshold: string;
  name: string;
  value: number;
  default: number;
  unit: 'GB/s' | 'bytes' | 'count' | 'ns' | 'per_step' | 'ratio' | 'text' | 'times';
}

/**
 * What is trained in a step: what two runs must share to be compared. `None`: not recorded. `parameters`,
 * `batch_size` (examples of a training step over all replicas) and `steps_per_call` (training steps in what is marked
 * as one) are what the training recorded; `pipeline_batch_size` (elements) and `pipeline_batch_bytes` are what
 * tf.data says of the batches that steps ask for.
 */
export interface Workload {
  layers: Layers | null;
  parameters: number | null;
  batch_size: number | null;
  steps_per_call: number | null;
  pipeline_batch_size: number | null;
  pipeline_batch_bytes: number | null;
}

/**
 * The layers of the model, by the ops that multiply: of the forward pass, replicas together. `products`: type of op
 * (Conv2D, MatMul …, fused or not) → how many of them. `told_ratio`: share of the ops' time in which names of layers
 * are known; what XLA compiled, and what runs eagerly, has none.
 */
export interface Layers {
  products: {
    [k: string]: number;
  };

  told_ratio: number;
}

/**
 * What is not kept of a run that is too large for it. `hosts`: those that it is missing of; `sentence`: what, why,
 * and what can be done.
 */
export interface Omitted {
  what: 'timeline' | 'what_if';
  hosts: string[];
  sentence: string;
}

/**
 * The visible GPUs in short; `devices` of the report tells more of each. `idle`: of `idle_total` on which no kernel
 * ran at most `idle_cap`.
 */
export interface Gpus {
  total: number;
  kinds: GpuKind[];
  idle: GpuName[];
  idle_total: number;
  idle_cap: number;
}

/**
 * How many visible GPUs have this name, "" if none was recorded.
 */
export interface GpuKind {
  name: string;
  count: number;
}

/**
 * Which GPU of which host.
 */
export interface GpuName {
  host: string;
  device: string;
}
