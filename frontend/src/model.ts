/**
 * The report as the backend sends it: the TypeScript side of `tfperf_plugin/report/model.py`.
 *
 * `_ns` are integer nanoseconds, `_bytes` integer bytes, `_ratio` shares 0..1, `_ms` milliseconds on
 * the timeline of one host. `null` means "the profile does not say". All text is plain text.
 */

export type Severity = 'critical' | 'warning' | 'info';
export type Confidence = 'high' | 'medium' | 'low';
export type StepSource = 'markers' | 'function_runs' | 'steps_line' | 'jit_calls' | 'modules' | 'period' | 'none';
export type Unit = 'ns' | 'ratio' | 'count' | 'bytes' | 'GB/s' | 'per_step' | 'times' | 'text';

export interface Device {
  host: string;
  device: string;
  name: string;
  compute_capability: string | null;
  busy_ratio: number;
  participates: boolean;
  memory_bytes: number | null;
}

/** The visible GPUs in short; `idle`: of `idle_total` on which no kernel ran at most `idle_cap`. */
export interface Gpus {
  total: number;
  kinds: { name: string; count: number }[];
  idle: { host: string; device: string }[];
  idle_total: number;
  idle_cap: number;
}

export interface Account {
  id: string;
  ns: number;
  ratio: number;
}

export interface DeviceAccounts {
  host: string;
  device: string;
  step_ns: number;
  accounts: Account[];
}

export interface Ledger {
  step_ns: number;
  accounts: Account[];
  compute: Account[];
  /** Of more than 16 GPUs those first that do most themselves in a step. */
  devices: DeviceAccounts[];
  devices_total: number;
  hidden_communication_ns: number;
  hidden_copy_ns: number;
}

export interface IdleAccount {
  account: string;
  ns: number;
  ratio: number;
  longest_ns: number;
  cause: string | null;
  covered_ns: number;
  sentence: string;
}

export interface LaunchLatency {
  host: string;
  device: string;
  count: number;
  median_ns: number;
  p95_ns: number;
}

export interface StepDevice {
  device: string;
  accounts: Record<string, number>;
}

export interface StepItem {
  number: number;
  host: string;
  begin_ms: number;
  end_ms: number;
  judged: boolean;
  note: string;
  devices: StepDevice[];
}

/** One step, averaged over the GPUs of all hosts; `id` names it in addresses. */
export interface StepColumn {
  id: string;
  number: number;
  host: string;
  begin_ms: number;
  end_ms: number;
  step_ns: number;
  accounts: Record<string, number>;
  gpus_count: number;
  judged: boolean;
  outlier: boolean;
  note: string;
}

export interface Steps {
  count: number;
  source: StepSource;
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

/** A GPU or a part of a host. Times are ns from the begin of the step, which is `origin_ms` on the host's timeline. */
export interface TimelineRow {
  host: string;
  /** Of the GPU, or `step`, `launches`, `input`. */
  name: string;
  is_gpu: boolean;
  origin_ms: number;
  length_ns: number;
  sums_ns: Record<string, number>;
  pieces_count: number;
  begin_ns: number[];
  end_ns: number[];
  /** Indices into the answer's `codes`. */
  code: number[];
  pieces: number[];
}

/** The answer of the route `timeline`. */
export interface StepTimeline {
  step: string;
  length_ns: number;
  begin_ns: number;
  end_ns: number;
  merged_below_ns: number;
  hosts: string[];
  hosts_cap: number;
  /** Hosts that have this step, but of which no timeline is kept: the run is too large. */
  left_out?: string[];
  codes: string[];
  rows: TimelineRow[];
}

export interface KeyNumbers {
  device_time_ratio: number | null;
  ops_on_device_ratio: number | null;
  ops_on_device_count_ratio: number | null;
  compute_16bit_ratio: number | null;
  compute_tf32_ratio: number | null;
  gpu_busy_ratio: number | null;
}

export interface Saving {
  ns: number;
  ratio: number;
  basis: string;
  bound: boolean;
  /** Account → ns that the saving takes from it. */
  accounts: Record<string, number>;
}

export interface Guide {
  section: string;
  url: string;
}

export interface Evidence {
  label: string;
  value: number | string;
  unit: Unit;
  threshold: number | null;
  source: string;
}

export interface Place {
  host: string;
  begin_ms: number;
  end_ms: number;
  label: string;
  device: string | null;
  stream: string | null;
  step: number | null;
}

export interface Snippet {
  framework: string;
  code: string;
}

export interface Link {
  title: string;
  url: string;
}

export interface Fix {
  summary: string;
  actions: string[];
  snippets: Snippet[];
  links: Link[];
}

export interface Finding {
  id: string;
  title: string;
  group: string;
  severity: Severity;
  confidence: Confidence;
  summary: string;
  saving: Saving | null;
  guide: Guide;
  evidence: Evidence[];
  where: Place[];
  fix: Fix;
  explains: Finding[];
}

export interface Row {
  id: string;
  title: string;
  reason: string;
  how: string;
}

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

export interface Stagger {
  host: string;
  order: 'fixed' | 'rotating' | 'none';
  spread_ns: number;
  launch_spread_ns: number | null;
  cost_ns: number;
  devices: string[];
  one_thread: boolean | null;
  private_threads: boolean;
  /** Of the steps with the GPUs furthest apart. */
  items: StaggerItem[];
  steps_total: number;
  steps_cap: number;
}

export interface DataIterator {
  host: string;
  pipeline: number;
  /** Distance from the root; iterators are in the order of a printed tree. */
  depth: number;
  parent: number | null;
  name: string;
  kind: string;
  /** As in the user's program. */
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

export interface Pipeline {
  host: string;
  number: number;
  /** Indices of its iterators and of those of the pipeline that feeds it. */
  iterators: number[];
  wait_ns: number;
  wait_ratio: number;
  slowest_ns: number;
  batch_bytes: number | null;
  bottleneck: number | null;
}

export interface Input {
  iterators: DataIterator[];
  /** The one that steps wait longest for first. */
  pipelines: Pipeline[];
  critical_path: string[];
  hosts_total: number;
  bottleneck: string | null;
  sentence: string;
}

export interface Anomaly {
  name: string;
  count: number;
  severity: 'info' | 'error' | 'data_loss';
  sentence: string;
}

export interface Stage {
  stage: string;
  ns: number;
}

export interface AllReduceDevice {
  host: string;
  device: string;
  transfer_ns: number;
  wait_ns: number;
  last_ratio: number;
  caused_wait_ns: number;
}

export interface AllReduceStep {
  step: number;
  transfer_ns: number;
  wait_ns: number;
  exposed_ns: number;
}

export interface AllReduceSize {
  up_to_bytes: number | null;
  calls_per_step: number;
  bytes_per_step: number;
  transfer_ns: number;
  busbw_gbps: number | null;
  achievable_gbps: number | null;
  achievable_source: string;
}

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

export interface AllReduce {
  participants: number;
  hosts_count: number;
  calls_per_step: number;
  bytes_per_step: number | null;
  bytes_source: string;
  parameters: number | null;
  parameters_source: 'given' | 'recorded' | 'estimated' | 'unknown';
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

export interface HostStep {
  step: number;
  own_ns: number;
  wait_ns: number;
}

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
  clock_source: 'collectives' | 'wall clock' | 'same host' | 'unknown';
  slow: boolean;
  steps: HostStep[];
  step_shift: number;
}

export interface Fact {
  label: string;
  value: string;
}

export interface Training {
  file: string;
  host: string;
  recorded: string;
  facts: Fact[];
}

export interface Phases {
  /** Null where names tell too little; `reason` says why. */
  items: Account[] | null;
  told_ratio: number;
  reason: string;
}

/** Times of one op or kernel per average step and GPU, and of a single kernel. */
export interface KernelTimes {
  name: string;
  phase: string;
  count_per_step: number;
  ns: number;
  ratio: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
}

export interface Op extends KernelTimes {
  type: string;
  kernels: number;
}

/** All ops of one type in one phase. */
export interface OpType {
  type: string;
  phase: string;
  ops: number;
  count_per_step: number;
  ns: number;
  ratio: number;
  mean_ns: number;
}

export interface Kernel extends KernelTimes {
  op: string;
  kernel_class: string;
  precision: string;
  tensor_cores: boolean;
  eligible: boolean | null;
  registers: number | null;
  shared_bytes: number | null;
  grid: string;
  block: string;
  occupancy_ratio: number | null;
}

export interface HostOp {
  name: string;
  type: string;
  calls_per_step: number;
  ns: number;
  self_ns: number;
}

/** The rows with the most time, at most `cap` of `total`. */
export interface Capped<T> {
  rows: T[];
  total: number;
  cap: number;
}

export interface OpTable extends Capped<Op> {
  types: OpType[];
}

export interface Allocation {
  op: string;
  size_bytes: number;
  count: number;
}

/** A column each: one number a moment. */
export interface MemoryPoints {
  at_ms: number[];
  used_bytes: number[];
}

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
  matched: 'address' | 'order' | 'none';
  points: MemoryPoints;
}

export interface Memory {
  devices: GpuMemory[];
  devices_total: number;
  batch_growth: number | null;
}

/** What two runs must share to be compared. */
export interface Workload {
  layers: { products: Record<string, number>; told_ratio: number } | null;
  parameters: number | null;
  batch_size: number | null;
  steps_per_call: number | null;
  pipeline_batch_size: number | null;
  pipeline_batch_bytes: number | null;
}

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
  kernels: Capped<Kernel> | null;
  host_ops: Capped<HostOp> | null;
  memory: Memory | null;
  workload: Workload;
  /** Thresholds that this report was judged with instead of the usual ones. */
  tried: Tried[];
  /** What is not kept of a run this large. */
  omitted?: Omitted[];
  gpus: Gpus;
}

/** What is missing of `hosts` because the run is too large; `sentence` says what, why and what can be done. */
export interface Omitted {
  what: 'timeline' | 'what_if';
  hosts: string[];
  sentence: string;
}

/** A threshold that is tried out; `rule` is a rule's id, or "severity". */
export interface Tried {
  rule: string;
  threshold: string;
  name: string;
  value: number;
  default: number;
  unit: Unit;
}

export interface Run {
  name: string;
  hosts: string[];
}

/** The average step without chosen findings; `limits`: what keeps it from being shorter, or is not known. */
export interface Prediction {
  step_ns: number;
  predicted_ns: number;
  saved_ns: number;
  limits: string[];
  by_finding: { id: string; title: string; chosen: boolean; saving_ns: number; alone_ns: number }[];
  accounts: { id: string; before_ns: number; after_ns: number }[];
  error: PredictionError | null;
}

/** Predicted less true step, as shares of the recorded one; 5th and 95th percentile. */
export interface PredictionError {
  low_ratio: number;
  high_ratio: number;
  runs: number;
  page: string;
}
