/**
 * What the backend sends, generated from its JSON Schema: `make model` writes this file.
 *
 * `_ns` are integer nanoseconds, `_bytes` integer bytes, `_ratio` shares 0..1, `_ms` milliseconds on
 * the timeline of one host. `null` means "the profile does not say". All text is plain text.
 */

/**
 * The whole report. Every rule's id appears exactly once in the lists of findings and checks. `stragglers`: the
 * latest of several GPUs, at most 512; `collectives`: longest first. `settled`: nothing is left to fix: the capture
 * is not in doubt, no finding is worth 5 % of a step, and no large part of it lacks an explanation. `words`: of each
 * finding, and after it of those that it explains; empty until the report is complete. `source`: what recorded the
 * run; `viewer`: the program that shows all of its events.
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
  roofline: Roofline | null;
  capture_quality: CaptureQuality | null;
  stragglers: Straggler[];
  collectives: Collective[];
  sections: Section[];
  settled: boolean;
  verdict: Verdict;
  words: FindingWords[];
  budget: Budget | null;
  source: string;
  viewer: 'Nsight Systems' | 'Perfetto' | 'XProf';
}

/**
 * One visible GPU. `busy_ratio`: share of the judged time in which anything ran on it, collectives that wait for
 * other GPUs included.
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
 * The judged steps. `unit`: what one of them is, such as "step" or "call of 16 training steps"; "" if what was
 * recorded is no step of training. `groups`: where steps differ, so that no step is like the mean; else empty.
 * `rare`: the few steps that are far longer, which are not judged. `items`: at most `items_cap` of `items_total`
 * steps of single hosts; `columns`: at most `columns_cap` of `columns_total` steps of the run, in time order.
 */
export interface Steps {
  count: number;
  source: 'function_runs' | 'jit_calls' | 'markers' | 'modules' | 'none' | 'period' | 'recording' | 'steps_line';
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
  groups: StepGroup[];
  unit: string;
  rare: StepGroup | null;
}

/**
 * One step of one host. `judged`: false for partial, warm-up and rare long steps.
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
 * The accounts of one GPU in one step: account id → ns.
 */
export interface StepDevice {
  device: string;
  accounts: {
    [k: string]: number;
  };
}
/**
 * One step, averaged over the GPUs of the hosts that judge it, or of all its hosts if none does. `number`: as the
 * first host counts; `id`: names the step in URLs, and differs from the number if the number recurs.
 * `begin_ms`/`end_ms`: on `host`, the first one that recorded the step. `accounts`: accounts with time, id → ns,
 * which add up to `step_ns` exactly; empty without GPUs. `judged`: on any host; `outlier`: much longer than the other
 * steps on any host; `note`: why it is left out or partial.
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
 * Steps that resemble each other, where not all do. `name`: what they have in common, "worker-3" or "long steps";
 * `count`: of steps, on the host with the most; `hosts`: those that recorded them; `p50_ns`: their median;
 * `accounts`: of the average step among them, whose `ns` add up to `step_ns`, empty without GPUs.
 */
export interface StepGroup {
  name: string;
  count: number;
  hosts: string[];
  p50_ns: number;
  step_ns: number;
  accounts: Account[];
}

/**
 * The time of one ledger account in an average step. `ratio`: its share of the step.
 */
export interface Account {
  id: string;
  ns: number;
  ratio: number;
}

/**
 * Where an average step goes, averaged over judged steps and participating GPUs. The `ns` of `accounts` add up to
 * `step_ns` exactly. `compute` splits the account `compute` by kernel class and adds up to it exactly. `devices`: a
 * row for each of `devices_total` GPUs; more than 16 are sorted by their step without waiting for other GPUs, longest
 * first. `hidden_*_ns`: communication and copies that ran beside compute and therefore cost nothing. `compute_parts`
 * splits the account `compute` by what the work needs and adds up to it exactly; empty if no kernel's work is known.
 * `compute_floor_ns`: the sum of their floors; `compute_peak_ns`: the same at the data sheet's peaks.
 * `compute_causes`: why the rest of the judged time was spent, most first.
 */
export interface Ledger {
  step_ns: number;
  accounts: Account[];
  compute: Account[];
  devices: DeviceAccounts[];
  devices_total: number;
  hidden_communication_ns: number;
  hidden_copy_ns: number;
  compute_parts: ComputePart[];
  compute_floor_ns: number | null;
  compute_peak_ns: number | null;
  compute_causes: ComputeCause[];
}

/**
 * The ledger of one GPU. Lists accounts with time only; they add up to `step_ns` exactly.
 */
export interface DeviceAccounts {
  host: string;
  device: string;
  step_ns: number;
  accounts: Account[];
}

/**
 * What one kind of kernel takes of the account `compute`, each nanosecond once. `kind`: `matrix` (products,
 * convolutions, attention), `memory` (memory-bound), `small` (latency-bound: too short to be either) or `other`.
 * `floor_ns`: what the work needs at the rates that good libraries reach; `recoverable_ns`: the rest of the time of
 * judged kernels; `not_judged_ns`: kernels of unknown work.
 */
export interface ComputePart {
  kind: 'matrix' | 'memory' | 'other' | 'small';
  floor_ns: number;
  recoverable_ns: number;
  not_judged_ns: number;
}

/**
 * Recoverable time of the account `compute` with one cause. `rule`: id of the rule that says what to do about it, ""
 * if the profile does not tell the cause; `title`: its title, or that the cause was not recorded.
 */
export interface ComputeCause {
  rule: string;
  title: string;
  ns: number;
}

/**
 * The numbers that the GPU guide says to maximize; `None` if the profile does not say. `ops_on_device_ratio` is by
 * time, `ops_on_device_count_ratio` by count. `compute_judged_ratio`: share of the account `compute` whose operations
 * and bytes are known. `gpu_busy_ratio`: share of the step in which a GPU computes, transfers or copies; waiting in a
 * collective is no work. `mfu_ratio`: model FLOPs utilization, the floating-point operations of the model's matrix
 * products and convolutions over what the GPU's dense peak allows in the step; `hfu_ratio`: hardware FLOPs
 * utilization, the same with recomputed ones, if any are seen. `flops_per_s`: operations of products a second and
 * GPU. `mfu_basis`: the peak and its source, or why there is no MFU.
 */
export interface KeyNumbers {
  device_time_ratio: number | null;
  ops_on_device_ratio: number | null;
  ops_on_device_count_ratio: number | null;
  compute_16bit_ratio: number | null;
  compute_tf32_ratio: number | null;
  gpu_busy_ratio: number | null;
  compute_judged_ratio: number | null;
  mfu_ratio: number | null;
  hfu_ratio: number | null;
  flops_per_s: number | null;
  mfu_basis: string;
}

/**
 * One thing that costs time. `explains` holds the findings folded under it. `action`: what to do first, in the
 * imperative; `cause`: one sentence that names what causes it, such as a GPU, host or thread; `command`: a line to
 * copy that does it, "" if a single line does not. `after`: the step without it, `None` if it promises no saving or
 * the run cannot be replayed.
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
  action: string;
  cause: string;
  command: string;
  after: After | null;
}

/**
 * What a step would gain; `bound` is true for "up to". `basis` says how it was derived. `accounts`: ledger account →
 * ns of the saving; they add up to `ns`, or are empty if it lies in rare long steps and is spread over all.
 * `once_ns`: the time in a single step if nearly all of it lies in one of only a few recorded steps, else 0.
 * `alone_ns`: how much shorter the predicted step is if only this finding is removed, `None` if the run cannot be
 * replayed. `kernels`: names of the kernels whose compute it claims, those with the most time first; at most 40, cut
 * after 200 characters.
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
  alone_ns: number | null;
  kernels: string[];
}

/**
 * The section of a public guide that a rule comes from.
 */
export interface Guide {
  section: string;
  url: string;
}

/**
 * One number (or word) with its unit, the threshold it is compared with, and its source.
 */
export interface Evidence {
  label: string;
  value: number | string;
  unit: 'GB/s' | 'bytes' | 'count' | 'ns' | 'per_step' | 'ratio' | 'text' | 'times';
  threshold: number | null;
  source: string;
}

/**
 * A range on the timeline of `host`, in milliseconds, to look at in the trace viewer.
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
 * The average step without a finding, as predicted, and the range of nine of ten such predictions. The range holds
 * the prediction and no time below zero.
 */
export interface After {
  ns: number;
  low_ns: number;
  high_ns: number;
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
 * AllReduce per average step; `None` for what neither the profile nor the user says. Without recorded collectives,
 * `measured_ns` and the other measured values are `None`. `kinds`: the kinds of calls that are counted, such as
 * reduce_scatter and all_gather in place of all_reduce. `guide_applies`: whether parameters × 4 bytes / bandwidth
 * estimates these calls. `parameters_basis`: how the number of parameters is known. `bandwidth_gbps`: GB/s per GPU
 * and direction. `difference`: why measured and estimated times differ, in words; `title`: which calls these are;
 * `numbers`: all numbers in words. `calls`: at most `calls_cap` of `calls_total` collective calls of any kind in
 * judged steps, longest first.
 */
export interface AllReduce {
  participants: number;
  hosts_count: number;
  kinds: string[];
  guide_applies: boolean;
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
  title: string;
  numbers: Quantity[];
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
 * Transfer and waiting of one step, and the part of both that no compute hides, averaged over GPUs.
 */
export interface AllReduceStep {
  step: number;
  transfer_ns: number;
  wait_ns: number;
  exposed_ns: number;
}

/**
 * Calls of one bucket of sizes, per average step and GPU. `up_to_bytes`: upper limit of the bucket, `None` for the
 * largest; `busbw_gbps`: measured bus bandwidth; `achievable_gbps`: what this link reaches at such sizes.
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
 * from the last arrival to the end; `wait_ns`: waiting summed over all participants; `exposed_ns`: time that no
 * compute hides, on the GPU where it is longest; `last`: the GPU that came last ("GPU:3", with "HOST " in front if
 * the call joins hosts), "" if the call was not matched.
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
 * A number of the AllReduce card in words. `term`: what it is; `value`: with its unit, "not known" or "not recorded";
 * `known`: how it is known, "" if nothing says so; `note`: the same in few words. `at`: whether the page shows it on
 * the card, below it, or in the table only.
 */
export interface Quantity {
  term: string;
  value: string;
  known: string;
  note: string;
  at: 'below' | 'card' | 'table';
}

/**
 * When each GPU starts a step, on the `host` whose GPUs start furthest apart. `spread_ns` and `launch_spread_ns`:
 * median spread of first kernels and of first launches; `cost_ns`: the time per step that GPUs lose; `devices`: GPUs
 * by their median start, earliest first; `one_thread`: whether one host thread makes the first launch for all GPUs;
 * `private_threads`: whether each GPU has its own launch threads. `items`: the `steps_cap` of `steps_total` steps
 * with the largest spread, in time order.
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
 * One GPU in one step. The times of kernels and launches count from the step's first kernel on any GPU; `_ms` are on
 * the host's timeline. `idle_ns`: idle while another GPU is in this step; `wait_ns`: waiting in collectives for a GPU
 * that started later; `thread`: the host thread of the first launch for this GPU, "" if not recorded.
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
 * The input pipelines of at most 16 of `hosts_total` hosts, those whose steps wait longest. `pipelines`: by the
 * waiting time of steps, longest first; `critical_path`: names on the path of the first pipeline's slowest request,
 * from the step upstream; `bottleneck`: name of the iterator that the request waits for; `sentence`: the same in
 * words.
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
 * passing on). `self_ns`: its own work on all threads; `batch_ns`: the same per batch, where `at_once` concurrent
 * calls count once. `wait_ratio`: share of the steps' waiting time in which it works. `slow_calls_count`: calls above
 * 50 µs. `buffered_elements`: mean fill of the buffer. `filtered_ratio`: share of elements that a filter drops.
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
 * feeds it; `wait_ns`: time that an average step of the host waits for it, `wait_ratio` of the step; `slowest_ns`:
 * its longest request; `bottleneck`: index of the iterator that steps wait for, `None` if they wait for none or it is
 * unknown.
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
 * The time of one stage of the analysis.
 */
export interface Stage {
  stage: string;
  ns: number;
}

/**
 * One host in an average judged step. `late_ns`: median delay of its GPUs behind the first host at collectives that
 * join hosts; `clock_offset_ns`: add it to the host's times to get times of the first host; `clock_uncertainty_ns`:
 * uncertainty of that offset; `clock_source`: "collectives" (their common end), "wall clock", "same host" or
 * "unknown". `slow`: in most steps later than the usual scatter between hosts. `step_shift`: add it to the host's
 * step numbers to get those of the first host.
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
 * One step of one host, averaged over its GPUs. `wait_ns`: waiting in collectives; `own_ns`: the rest of the step.
 */
export interface HostStep {
  step: number;
  own_ns: number;
  wait_ns: number;
}

/**
 * All that the training recorded about itself (DiagnosticsCallback). `file`: path of the record, relative to the log
 * directory; `host`: the host that wrote it; `recorded`: the begin of the training, in UTC.
 */
export interface Training {
  file: string;
  host: string;
  recorded: string;
  facts: Fact[];
}

/**
 * A recorded fact about the training, as label and value in words.
 */
export interface Fact {
  label: string;
  value: string;
}

/**
 * One idle account of the average step, and why GPUs were idle. `longest_ns`: its longest stretch. `cause`: what the
 * host did meanwhile, for `covered_ns` of the account; `None` if no recorded event covers 80 % of it. `sentence`: the
 * cause in words; "" below 1 % of the step.
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
 * Time from the begin of a launch call to the begin of its kernel on one GPU, if the stream was free by then.
 * `count`: such launches in judged steps.
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
 * `ratio` is a share of compute. `told_ratio`: share of compute whose names show the phase. If it is too small,
 * `items` is `None` and `reason` says why.
 */
export interface Phases {
  items: Account[] | null;
  told_ratio: number;
  reason: string;
}

/**
 * The `cap` ops with the most time, of `total`, and sums over all ops by type.
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
 * One op on the GPUs, replicas together, per average step and GPU. `ns`: time of its kernels, overlapping ones
 * counted in full; `ratio`: share of all kernel time. `kernels`: number of different kernels or launch
 * configurations. `mean_ns`, `min_ns`, `max_ns`: of one kernel. The rest is `None` where nobody knows: `flops` (a
 * multiply-add is two) and `bytes` that must cross memory once; `floor_ns`: how long they take at the rates that good
 * libraries reach, at most `judged_ns`, which is `ns` but for kernels that transform tensors for a Winograd or FFT
 * convolution; `peak_ns`: at the data sheet's peaks. `bound_by`: which of the two decides, "latency" if both take
 * less than any kernel does, and its kernels take 10 µs or less. `format`: number format of its products, "" without.
 * `not_judged`: why `floor_ns` is not known.
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
  flops: number | null;
  bytes: number | null;
  floor_ns: number | null;
  peak_ns: number | null;
  bound_by: 'compute' | 'latency' | 'memory' | 'not judged';
  judged_ns: number | null;
  format: string;
  not_judged: string;
}

/**
 * The `cap` kernels with the most time, of `total`; the same by name alone, of `names_total`.
 */
export interface KernelTable {
  rows: Kernel[];
  total: number;
  cap: number;
  names: KernelName[];
  names_total: number;
}

/**
 * One kernel as one op launches it with one configuration, per average step and GPU. `kernel_class`: what it
 * computes; `precision`: "16 bit", "TF32", "32 bit", "64 bit" or "" if unknown; `eligible`: whether it could run on
 * Tensor Cores; `grid`/`block`: "x,y,z", "" if not recorded; `occupancy_ratio`: theoretical share of a
 * multiprocessor's threads that the kernel occupies. `flops` to `bound_by`: see `Op`; known if no other kernel works
 * for the op.
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
  flops: number | null;
  bytes: number | null;
  floor_ns: number | null;
  peak_ns: number | null;
  bound_by: 'compute' | 'latency' | 'memory' | 'not judged';
  judged_ns: number | null;
}

/**
 * All launches of the kernels of one name, per average step and GPU. `ops`: how many ops launch it; `op`: the one
 * with most of its time; `phases`: of all of them. `configurations`: rows of `Kernel` that it sums. `kernel_class` to
 * `occupancy_ratio`: see `Kernel`; "" or `None` where launches differ. `flops` to `judged_ns`: see `Op`; sums over
 * the ops that are judged and launch no other kernel, so `judged_ns` may be a part of `ns`. `bound_by`: what binds
 * most of that part.
 */
export interface KernelName {
  name: string;
  op: string;
  ops: number;
  configurations: number;
  phases: string[];
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
  flops: number | null;
  bytes: number | null;
  floor_ns: number | null;
  peak_ns: number | null;
  bound_by: 'compute' | 'latency' | 'memory' | 'not judged';
  judged_ns: number | null;
}

/**
 * The `cap` ops of hosts with the most `self_ns`, of `total`.
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
 * Memory of at most 16 of the `devices_total` GPUs whose allocator was recorded, the fullest first. `batch_growth`:
 * factor by which the batch could grow on the fullest GPU, in proportion and with a tenth of the memory left free;
 * `None` without a complete step or without memory that a step releases.
 */
export interface Memory {
  devices: GpuMemory[];
  devices_total: number;
  batch_growth: number | null;
}

/**
 * One GPU's allocator. `peak_bytes`: most bytes in use since the program began; `recorded_peak_bytes`: during the
 * recording, at `peak_ms`; `lasting_bytes`: fewest bytes in use during the recording. At the recorded peak,
 * `before_bytes` had been allocated before the recording, and `alive` are the largest holders of the rest, of
 * `alive_total`. `matched`: how releases were matched with allocations: by the block's `address`, by `order` among
 * blocks of the same size, or not at all (`none`). `fragmentation_ratio`: share of the free memory outside its
 * largest block, `free_block_bytes`. `points`: the timeline; thinning keeps peaks and valleys. `said`: the peak and
 * what it is made of; `note`: the free memory, and how sure that is.
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
  said: string;
  note: string;
}

/**
 * Memory that one op allocated during the recording and that is in use at the peak, in `count` blocks.
 */
export interface Allocation {
  op: string;
  size_bytes: number;
  count: number;
}

/**
 * Bytes in use at moments of the host's timeline, as two columns of equal length.
 */
export interface MemoryPoints {
  at_ms: number[];
  used_bytes: number[];
}

/**
 * A trial threshold: this report was judged with `value` instead of `default`. `rule`: a rule's id, or `severity` for
 * the shares of the step from which a finding has a severity.
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
 * The work of a step, which comparable runs must share. `None`: not recorded. The training recorded `parameters`,
 * `batch_size` (examples in a training step over all replicas) and `steps_per_call` (training steps under one step
 * marker). tf.data recorded `pipeline_batch_size` (elements) and `pipeline_batch_bytes` of the batches that steps
 * request.
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
 * The layers of the model, counted by the multiplying ops of the forward pass, replicas together. `products`: type of
 * op (Conv2D, MatMul …, fused or not) → number of ops. `told_ratio`: share of the ops' time with known names of
 * layers; compiled and eager ops have none.
 */
export interface Layers {
  products: {
    [k: string]: number;
  };

  told_ratio: number;
}

/**
 * What a report leaves out: hosts that are broken; timelines and the replay of a very large run. `hosts`: the hosts
 * concerned; `sentence`: what is missing, why, and what helps.
 */
export interface Omitted {
  what: 'host' | 'timeline' | 'what_if';
  hosts: string[];
  sentence: string;
}

/**
 * A summary of the visible GPUs; `devices` of the report has the details. `idle`: at most `idle_cap` of the
 * `idle_total` GPUs on which no kernel ran. `unrecorded`: at most as many of the `unrecorded_total` GPUs that may
 * have run kernels, of which none was recorded.
 */
export interface Gpus {
  total: number;
  kinds: GpuKind[];
  idle: GpuName[];
  idle_total: number;
  idle_cap: number;
  unrecorded: GpuName[];
  unrecorded_total: number;
}

/**
 * The number of visible GPUs with this name; "" if the name was not recorded.
 */
export interface GpuKind {
  name: string;
  count: number;
}

/**
 * A GPU of a host.
 */
export interface GpuName {
  host: string;
  device: string;
}

/**
 * The limits by which ops are judged, of the GPU `name`. `rates`: by number format; `bytes_per_s`: of its memory, of
 * which `bytes_reached_ratio` is reached. `source`: of the peaks; `reached_source`: of the shares.
 */
export interface Roofline {
  name: string;
  rates: PeakRate[];
  bytes_per_s: number;
  bytes_reached_ratio: number;
  source: string;
  reached_source: string;
}

/**
 * A dense peak of the GPU, in operations a second, and the share of it that good libraries reach.
 */
export interface PeakRate {
  format: string;
  flops_per_s: number;
  reached_ratio: number;
}

/**
 * How far the report can be relied on. `level`: `strong` (five whole steps or more, and no note on the capture),
 * `fair` (three or four, or a note), `thin` (fewer) or `none` (no GPU events).
 */
export interface CaptureQuality {
  level: 'fair' | 'none' | 'strong' | 'thin';
  reasons: Reason[];
}

/**
 * One reason for or against relying on the capture.
 */
export interface Reason {
  ok: boolean;
  text: string;
}

/**
 * How late one GPU is in a run with several. `behind_ns`: median delay of its first kernel behind the first GPU of
 * its host or, if longer, its longest delay at a collective of a step behind the first GPU to arrive, median of
 * steps; `last_ratio`: share of collective calls (without any: of steps) in which it comes last; `cause`: a sentence,
 * "" if it is not known.
 */
export interface Straggler {
  host: string;
  device: string;
  behind_ns: number;
  last_ratio: number;
  cause: string;
}

/**
 * Calls of one kind, per average step and communicating GPU. `ns`: time of all calls, hidden under compute or not;
 * `wait_ns`: the part before the last GPU arrives, `None` if that is not known; `name`: what NCCL calls the kind.
 */
export interface Collective {
  kind: string;
  calls_per_step: number;
  ns: number;
  wait_ns: number | null;
  name: string;
}

/**
 * A section of the page that the run has. `answer`: what it says, in one sentence; `chip`: its one number, "" if
 * there is none; `note`: what its numbers do not cover.
 */
export interface Section {
  id: 'checks' | 'communication' | 'hosts' | 'input' | 'kernels' | 'memory' | 'training';
  answer: string;
  chip: string;
  note: string;
}

/**
 * What the report says first; what does not apply is "" or empty. `unit`: what `now` is, "Step time"; `note`: the
 * steps behind it, or why there is no time; `checked`: how many checks passed; `compute`: the share of compute, and
 * MFU.
 */
export interface Verdict {
  unit: string;
  now: TimeWords[];
  note: string;
  checked: string;
  compute: string;
}

/**
 * How long a step takes, "14.4 ms", and where steps differ, which step: "on 3 hosts".
 */
export interface TimeWords {
  time: string;
  of: string;
}

/**
 * What the report says of the finding `id` besides the finding's own words; "" for what does not apply. `asks`:
 * "Change" or "Look", if it is worth that; else `most`: that it would bring most. `saving`: "up to 8.0 ms per step
 * (27 %)"; `alone`: what it brings by itself if that is less. `agent`: what `tfperf report --format agent` says with
 * this finding only.
 */
export interface FindingWords {
  id: string;
  asks: string;
  most: string;
  saving: string;
  alone: string;
  after: AfterWords | null;
  agent: string;
}

/**
 * The step once something is fixed: "After fix 1", "22.1 ms", "−27 %, 1.36×", "likely 20.4–23.3 ms". `time` ends with
 * "less" where steps differ, and no step is like the mean.
 */
export interface AfterWords {
  of: string;
  time: string;
  change: string;
  likely: string;
}

/**
 * Which time of a step each finding claims, no nanosecond twice, and what is left. `divisions`: the average step:
 * first time that no finding claims, then the claims, the first finding's last. Where steps differ, one step of each
 * group instead, without claims, which are averages over all steps. `rare`: a rare long step. `projected_ns`: the
 * average step without all claims; `fixed`: the same in words; `bound`: whether it is only a bound. `stays`: the idle
 * time that no finding explains.
 */
export interface Budget {
  heading: string;
  divisions: Division[];
  rare: Division | null;
  claims: Claim[];
  projected_ns: number;
  fixed: string;
  bound: boolean;
  stays: string;
}

/**
 * A step and the accounts that divide it, without gaps. `name`: which step, "Mean GPU"; `basis`: the mean of which
 * steps; `about`: what the division shows. `legend`: its accounts, longest first; `rest`: the sum of those that are
 * too small to list; `active_ratio`: share in which a GPU works; `hidden`: what ran beside compute.
 */
export interface Division {
  name: string;
  basis: string;
  about: string;
  step_ns: number;
  blocks: Block[];
  legend: Account[];
  rest: string;
  active_ratio: number;
  hidden: string;
}

/**
 * Time of one account in a bar, `begin_ns` from the left, and all of that in words. `owner`: rank of the finding that
 * claims it, 0 for none.
 */
export interface Block {
  account: string;
  ns: number;
  begin_ns: number;
  owner: number;
  words: string;
}

/**
 * The blocks of the finding `id`, which lie beside each other. `rank` counts from 1.
 */
export interface Claim {
  id: string;
  rank: number;
  ns: number;
  begin_ns: number;
}

/**
 * The whole comparison. `reasons`: for the verdict; `caveats`: what else may explain the difference; `drift_ratio`:
 * assumed difference between launches of one training, as a share of the step; `drift_stated`: whether the user
 * stated it, so that one launch a side may have a verdict. `unproven`: the difference may be that of two launches
 * without a change; `suspicious`: what was measured contradicts itself. `times` and the fields derived from it are
 * `None` or empty if the runs cannot be compared. With `launches`, `base` and `new` are the launches in the middle of
 * their side.
 */
export interface Comparison {
  comparison_version: number;
  tool_version: string;
  verdict: 'better' | 'cannot_compare' | 'same' | 'suspicious' | 'unproven' | 'worse';
  sentence: string;
  reasons: string[];
  caveats: string[];
  drift_ratio: number;
  drift_stated: boolean;
  basis: 'examples' | 'nothing' | 'step';
  base: Side;
  new: Side;
  times: Times | null;
  accounts: AccountChange[];
  findings: FindingChange[];
  numbers: NumberChange[];
  settings: SettingChange[];
  prediction: SavingCheck | null;
  scaling: Scaling | null;
  launches: Launches | null;
}

/**
 * One of the two runs. `step_ns`: its average step; `error_ns`: the standard error of that average, `None` with fewer
 * than three steps; `gpus_count`: GPUs that take part in the training; `usual_step`: id of the step whose length is
 * nearest to the median, as in `steps.columns`.
 */
export interface Side {
  run: string;
  headline: string;
  step_ns: number | null;
  p50_ns: number | null;
  steps_count: number;
  error_ns: number | null;
  gpus_count: number;
  hosts_count: number;
  devices: string[];
  usual_step: string | null;
}

/**
 * The compared times: for the work of one step of the base run. `new_ns`: the new run's step; with the basis
 * `examples`, its time for as many examples as a step of the base run holds. Differences up to `noise_ns` do not
 * count because the steps of one run differ as much; those up to `drift_ns` because launches of one training differ
 * as much. `change`: the difference as a share of `base_ns`. `examples`: examples per step, new run / base run.
 */
export interface Times {
  base_ns: number;
  new_ns: number;
  delta_ns: number;
  change: number;
  noise_ns: number;
  drift_ns: number;
  examples: number;
}

/**
 * One account. Over all accounts, each column adds up exactly to its value in `Times`.
 */
export interface AccountChange {
  id: string;
  base_ns: number;
  new_ns: number;
  delta_ns: number;
}

/**
 * One finding of either run. `status`: `unchecked` if the rule could not judge the new run; `same` if the saving
 * changed by at most the drift, or by less than 1 % of the step. `base_ns`/`new_ns`: savings per step of each run.
 * `note`: what the rule says of the run without the finding; that the saving is within the drift; or which finding
 * explains it.
 */
export interface FindingChange {
  id: string;
  title: string;
  status: 'appeared' | 'changed' | 'same' | 'unchecked' | 'vanished';
  base_severity: ('critical' | 'info' | 'warning') | null;
  new_severity: ('critical' | 'info' | 'warning') | null;
  base_ns: number | null;
  new_ns: number | null;
  note: string;
}

/**
 * A number of both reports; at least one value is known.
 */
export interface NumberChange {
  label: string;
  unit: 'GB/s' | 'bytes' | 'ns' | 'ratio';
  base: number | null;
  new: number | null;
}

/**
 * A setting whose recorded values differ between the two trainings.
 */
export interface SettingChange {
  label: string;
  base: string;
  new: string;
}

/**
 * The savings that the base report promised for findings that vanished, beside the measured saving. `promised_ns`:
 * sum of these savings, which never overlap; `measured_ns`: how much shorter the step became; `other_ns`: measured
 * minus promised.
 */
export interface SavingCheck {
  findings: string[];
  promised_ns: number;
  bound: boolean;
  measured_ns: number;
  other_ns: number;
  sentence: string;
}

/**
 * The same training on fewer and on more GPUs. `kind`: `weak` if the batch of each GPU stays the same, `strong` if
 * the batch of all GPUs together does, else `mixed`. `basis`: how that is known. `ideal_ns`: the step with more GPUs
 * if each GPU trained as fast as with fewer; `efficiency`: `ideal_ns` / `step_ns`, which may exceed 1; `speedup`:
 * ratio of examples per second, more GPUs / fewer GPUs. `accounts`: base is the ideal step, new the real one.
 */
export interface Scaling {
  kind: 'mixed' | 'strong' | 'weak';
  basis: string;
  fewer: 'base' | 'new';
  fewer_gpus: number;
  more_gpus: number;
  ideal_ns: number;
  step_ns: number;
  lost_ns: number;
  efficiency: number;
  speedup: number;
  accounts: AccountChange[];
  sentence: string;
}

/**
 * Several launches a side, and what decides. `items`: in the order of their time, if it is known of all, else those
 * before first. `statistic`: what a launch counts by, the 10th percentile of its steps or their mean. `method`:
 * `rounds` if launches were interleaved (the permutation test), `floor` if equal launches of the past decide, `drift`
 * if the stated drift does, else `nothing`. `change`: of the mean level; `low` and `high`: its interval, and `p`,
 * only with `rounds`. `sd`: of launches within a side, in ln. `limit`: changes up to this do not count, with `floor`
 * and `drift`. `needed`: launches a side that such a change takes, or one of 1 % if it is smaller.
 */
export interface Launches {
  items: LaunchLevel[];
  statistic: 'mean' | 'p10';
  method: 'drift' | 'floor' | 'nothing' | 'rounds';
  change: number;
  sd: number;
  needed: number;
  p: number | null;
  low: number | null;
  high: number | null;
  limit: number | null;
}

/**
 * One of several launches. `recorded`: when, in local time ("2026-01-01 00:00:00"), or "" if unknown; `level_ns`: its
 * step, for the work of one step of the first launch before.
 */
export interface LaunchLevel {
  run: string;
  side: 'base' | 'new';
  recorded: string;
  level_ns: number;
  steps_count: number;
}

/**
 * The rows that were asked for. `done`: whether none of them will change by itself.
 */
export interface Board {
  rows: BoardRow[];
  done: boolean;
}

/**
 * One run. `recorded`: when, as its name says, in local time ("2026-01-01 00:00:00"), or "". `outline` and `against`
 * are `None` as long as there is no report; `against` also as long as there is none of the baseline. `stage` and
 * `share`: how far the analysis is; a `share` of `None` means that it has not begun. `error`: why there is no report,
 * as a sentence.
 */
export interface BoardRow {
  run: string;
  recorded: string;
  outline: Outline | null;
  against: Against | null;
  stage: string;
  share: number | null;
  error: string;
}

/**
 * What the report of a run says, in a row. `p95_ns`: `None` unless it is 15 % above the median. `lengths`: at most
 * 60, in time order. `active_ratio`: the key number `gpu_busy_ratio`. `exposed_ns`: exposed transfer and straggler
 * wait, `None` with one GPU. `settled`: as in the report. `recoverable_ns`: the savings of all findings, which never
 * add up to more than `step_ns`. `evidence`: `capture_quality` and what it lacks.
 */
export interface Outline {
  gpus: GpuKind[];
  gpus_count: number;
  hosts_count: number;
  steps_count: number;
  step_ns: number | null;
  p50_ns: number | null;
  p95_ns: number | null;
  lengths: StepLength[];
  compute_ratio: number | null;
  active_ratio: number | null;
  exposed_ns: number | null;
  finding: TopFinding | null;
  settled: boolean;
  recoverable_ns: number | null;
  evidence: ('fair' | 'none' | 'strong' | 'thin') | null;
  lacks: string[];
}

/**
 * The length of a step. `judged`: false for partial and warm-up steps.
 */
export interface StepLength {
  ns: number;
  judged: boolean;
  outlier: boolean;
}

/**
 * The first finding. `others`: how many more there are.
 */
export interface TopFinding {
  id: string;
  title: string;
  severity: 'critical' | 'info' | 'warning';
  others: number;
}

/**
 * A run beside the baseline. `verdict`: that of the comparison, or `base` for the baseline itself; `change`: of the
 * step's time, negative if it takes less; `why`: in a few words, why the two cannot be compared; `sentence`: the
 * verdict, or that reason, in full.
 */
export interface Against {
  verdict: 'base' | ('better' | 'cannot_compare' | 'same' | 'suspicious' | 'unproven' | 'worse');
  change: number | null;
  why: string;
  sentence: string;
}

/**
 * The average step with and without the chosen findings. `limits`: sentences about what keeps the step from being
 * shorter, or is not known. In words: `fixed`, how many findings are chosen; `said`, the step without their claims,
 * and the predicted one; `after`, the predicted step as the verdict says it.
 */
export interface Prediction {
  step_ns: number;
  predicted_ns: number;
  saved_ns: number;
  limits: string[];
  by_finding: ByFinding[];
  accounts: PredictedAccount[];
  error: PredictionError | null;
  fixed: string;
  said: string;
  after: AfterWords | null;
}

/**
 * A finding that can be chosen. `alone_ns`: the time saved if only this finding is removed.
 */
export interface ByFinding {
  id: string;
  title: string;
  chosen: boolean;
  saving_ns: number;
  alone_ns: number;
}

/**
 * An account of the average step as recorded and as predicted.
 */
export interface PredictedAccount {
  id: string;
  before_ns: number;
  after_ns: number;
}

/**
 * Error of predictions for `runs` simulated runs: 5th and 95th percentile of (predicted − simulated step) / recorded
 * step. `page`: the documentation page with the details.
 */
export interface PredictionError {
  low_ratio: number;
  high_ratio: number;
  runs: number;
  page: string;
}

/**
 * The rows of one step inside a window. `merged_below_ns`: shorter pieces are merged, 0 if none are; `left_out`:
 * hosts that have this step, but whose timeline was too large to keep; `names`: of kernels, and of threads that
 * launched them; `claims`: what findings claim of these rows inside the window, in the order of findings; `arrows`:
 * also those outside; `others`: GPUs that the order by lateness leaves out.
 */
export interface StepTimeline {
  step: string;
  length_ns: number;
  begin_ns: number;
  end_ns: number;
  merged_below_ns: number;
  hosts: string[];
  hosts_cap: number;
  left_out: string[];
  codes: string[];
  rows: TimelineRow[];
  names: string[];
  claims: Claim1[];
  arrows: Arrow[];
  others: Others | null;
}

/**
 * A GPU, the kernels of a GPU, or a part of a host. Times are ns from the begin of the step, which is at `origin_ms`
 * on the host's timeline. `name`: of the GPU, or `step`, `launches`, `input`; `sums_ns`: by account, empty for
 * kernels; `code`: indices into the `codes` of the answer, or into its `names` for kernels; `pieces`: how many pieces
 * each span is made of; `behind_ns`: see `Straggler`; `thread`: of kernels, indices into `names` of who launched
 * them, at `launched_ns`; −1 if not recorded, or for several kernels.
 */
export interface TimelineRow {
  host: string;
  name: string;
  is_gpu: boolean;
  origin_ms: number;
  length_ns: number;
  sums_ns: {
    [k: string]: number;
  };

  pieces_count: number;
  begin_ns: number[];
  end_ns: number[];
  code: number[];
  pieces: number[];
  kernels: boolean;
  behind_ns: number | null;
  thread: number[];
  launched_ns: number[];
}

/**
 * Time of a row that a finding claims. Of an account of which it claims only a part, this is the longest of what lies
 * in its kernels or places, up to its share. No time has two owners.
 */
export interface Claim1 {
  finding: string;
  row: number;
  begin_ns: number;
  end_ns: number;
}

/**
 * From the first launch of a step for a GPU to the first kernel on it. `from_row`: the launches of the host; `at_ns`:
 * negative if the host had launched before the step began.
 */
export interface Arrow {
  from_row: number;
  at_ns: number;
  to_row: number;
  kernel_ns: number;
}

/**
 * GPUs without a row, and how late the first and the last of them are.
 */
export interface Others {
  count: number;
  low_ns: number;
  high_ns: number;
}
