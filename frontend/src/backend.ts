/** Where reports come from. Only this file knows HTTP. */

import type { Glossary } from './glossary.js';
import { type TraceTarget, profileRoot, sliceHref, tensorboardRoot } from './links.js';
import type { Board, Comparison, Prediction, Report, StepTimeline, Trials } from './model.js';
import type { Threshold, Thresholds } from './thresholds.js';
import { type Typed, typedIn } from './typed.js';
import type { Run } from './types.js';

/** A run, and what the user typed: the backend reads it, with its units. */
export interface ReportRequest extends Typed {
  run: string;
  /** Thresholds to try out; see thresholds.ts. */
  tried?: readonly string[];
  /** Start again what somebody has stopped. */
  again?: boolean;
}

/** A part of a step, in ns from its start on, to be shown `width` px wide. Null: all hosts, to the end. */
export interface TimelineAsk {
  step: string;
  host: string | null;
  begin_ns: number;
  end_ns: number | null;
  width: number;
  /** A GPU that has a row, however many there are. */
  keep: { host: string; device: string } | null;
  /** Whether kernels have rows, too. */
  kernels: boolean;
}

export type TimelineRequest = ReportRequest & TimelineAsk;

/** How far the analysis of a profile is; `share` 0..1 of the whole. */
export interface Progress {
  stage: string;
  /** What is done in this stage. */
  words: string;
  share: number;
  /** Of a run with several hosts: how many the stage is done with. */
  hosts_done_count?: number;
  hosts_count?: number;
  /** Of an analysis that has not begun: the runs that are analysed before it. */
  waits_for?: readonly string[];
}

export type ErrorKind =
  'not_found' | 'bad_request' | 'unreadable' | 'not_judgeable' | 'cancelled' | 'busy' | 'internal' | 'unreachable';

/** `message` is one plain sentence for the user. */
export class BackendError extends Error {
  constructor(
    message: string,
    readonly kind: ErrorKind,
  ) {
    super(message);
  }
}

/** Which hosts of a run the trace viewer knows, or why links into it would lead nowhere. */
export type TraceAccess = { state: 'ready'; hosts: readonly string[] } | { state: 'no_plugin' } | { state: 'no_run' };

/** Whether a place on this host can be opened in the trace viewer. */
export function canOpen(access: TraceAccess | null, host: string): boolean {
  return access?.state === 'ready' && access.hosts.includes(host);
}

/** Why it cannot, in one sentence; nothing while that is not known yet. */
export function whyNot(access: TraceAccess | null, host: string): string {
  switch (access?.state) {
    case undefined:
      return '';
    case 'no_plugin':
      return 'The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).';
    case 'no_run':
      return 'The trace viewer does not list this run.';
    case 'ready':
      return canOpen(access, host) ? '' : 'The trace viewer does not list this host.';
  }
}

/** A range of a run as a file that Perfetto opens; `note`: what it lacks, or "". */
export interface SavedTrace {
  content: Blob;
  name: string;
  note: string;
}

type Asking<T> = (request: ReportRequest, onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<T>;

export interface Backend {
  /** Newest first. */
  runs(): Promise<Run[]>;
  /** What trials and tunings have left beside the runs, newest first. */
  trials(): Promise<Trials>;
  /** Waits until the report is there; rejects with a BackendError, or an AbortError when aborted. */
  report: Asking<Report>;
  /** Stops the analysis of a run for all who wait for it. */
  cancel(run: string): Promise<void>;
  /** Rejects as `report` does. */
  timeline(request: TimelineRequest, signal: AbortSignal): Promise<StepTimeline>;
  /** Rejects as `report` does. */
  slice(target: TraceTarget, signal: AbortSignal): Promise<SavedTrace>;
  /** What the words mean that reports use. */
  glossary(): Promise<Glossary>;
  /** The thresholds of all rules. */
  thresholds(): Promise<Thresholds>;
  /** The runs `now` against those of `base`; waits and rejects as `report` does. */
  compare(
    base: readonly string[],
    now: readonly string[],
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<Comparison>;
  /** What is known of these runs by now; begins a few analyses of others. Does not wait for them. */
  board(runs: readonly string[], base: string | null, signal: AbortSignal): Promise<Board>;
  /** Rejects as `report` does. `without`: ids of findings. */
  predict(request: ReportRequest, without: readonly string[], signal: AbortSignal): Promise<Prediction>;
  /**
   * The viewer silently opens the first run or host when it does not know the one it is asked for, so
   * both are looked up before. Never rejects.
   */
  traceAccess(run: string): Promise<TraceAccess>;
}

/** Pause between two questions for a report that is being computed: from the first to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 1000;

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
type Pause = (ms: number) => Promise<void>;

const KINDS: readonly string[] = ['not_found', 'bad_request', 'unreadable', 'not_judgeable', 'cancelled', 'busy'];

/** Characters that turn the direction of all text after them, as they are and as JSON may write them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]|\\u20(?:2[a-e]|6[6-9])/i;

/** A word longer than this fills lines, so that the rest of its sentence is lost; what ends a word. */
const ENDLESS = 200;
const [SPACE, QUOTE, COMMA] = [32, 34, 44];

/** Keys of sentences. Names by themselves stay whole: tables show them on demand, and runs are asked for by them. */
const SENTENCES = new Set([
  'headline',
  'advice',
  'title',
  'summary',
  'action',
  'cause',
  'reason',
  'how',
  'sentence',
  'answer',
  'label',
  'value',
  'source',
  'written',
  'stage',
  'note',
]);

/**
 * Whether there may be an endless word. None hides between places this far apart; a regular expression looks
 * everywhere.
 */
function hasEndless(json: string): boolean {
  const within = (at: number): boolean => {
    const code = json.charCodeAt(at);
    return code > SPACE && code !== QUOTE && code !== COMMA;
  };
  for (let at = ENDLESS - 1; at < json.length; at += ENDLESS) {
    let [first, last] = [at, at];
    if (!within(at)) continue;
    while (within(first - 1)) first--;
    while (within(last + 1)) last++;
    if (last - first + 1 >= ENDLESS) return true;
  }
  return false;
}

/** The JSON of a report, with sentences that no name in them can turn around (�) or fill for lines (…). */
export function readable(json: string): unknown {
  if (!TURNING.test(json) && !hasEndless(json)) return JSON.parse(json);
  const [turning, endless] = [new RegExp(TURNING, 'gi'), new RegExp(`[^\\s",]{${ENDLESS},}`, 'g')];
  return JSON.parse(json, (key, value: unknown) => {
    if (typeof value !== 'string' || key === 'run') return value;
    const straight = value.replace(turning, '\ufffd');
    return SENTENCES.has(key)
      ? straight.replace(endless, (word) => `${word.slice(0, 60)}…${word.slice(-40)}`)
      : straight;
  });
}

export class HttpBackend implements Backend {
  constructor(
    private readonly baseURI: string,
    private readonly fetch: Fetch = (url, init) => window.fetch(url, init),
    private readonly pause: Pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  async runs(): Promise<Run[]> {
    const { body } = await this.ask('runs');
    return (body as { runs: Run[] }).runs;
  }

  async trials(): Promise<Trials> {
    return (await this.ask('trials')).body as Trials;
  }

  async report(request: ReportRequest, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<Report> {
    const path = `report?${query(request)}`;
    const first = request.again ? await this.ask(`${path}&again=1`, signal) : null;
    return (first?.status === 200 ? first.body : await this.awaited(path, onProgress, signal)) as Report;
  }

  async cancel(run: string): Promise<void> {
    await this.ask(`cancel?${new URLSearchParams({ run })}`, undefined, 'POST');
  }

  async timeline(request: TimelineRequest, signal: AbortSignal): Promise<StepTimeline> {
    const { step, host, begin_ns, end_ns, width, keep, kernels } = request;
    const asked = query(request, {
      step,
      host,
      begin_ms: begin_ns / 1e6,
      end_ms: end_ns && end_ns / 1e6,
      width,
      order: 'late',
      keep_host: keep && keep.host,
      keep_gpu: keep && keep.device,
      lane: kernels ? 'kernels' : null,
    });
    return (await this.awaited(`timeline?${asked}`, () => undefined, signal)) as StepTimeline;
  }

  async slice(target: TraceTarget, signal: AbortSignal): Promise<SavedTrace> {
    const response = await this.ready(sliceHref(this.baseURI, target), () => undefined, signal);
    const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
    const note = response.headers.get('X-Tfperf-Note') ?? '';
    return { content: await response.blob(), name: name ?? 'trace.json.gz', note };
  }

  async compare(
    base: readonly string[],
    now: readonly string[],
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<Comparison> {
    const asked = new URLSearchParams([...base.map((run) => ['base', run]), ...now.map((run) => ['new', run])]);
    return (await this.awaited(`compare?${asked}`, onProgress, signal)) as Comparison;
  }

  async predict(request: ReportRequest, without: readonly string[], signal: AbortSignal): Promise<Prediction> {
    const asked = query(request, { without: without.join(',') });
    return (await this.awaited(`predict?${asked}`, () => undefined, signal)) as Prediction;
  }

  async board(runs: readonly string[], base: string | null, signal: AbortSignal): Promise<Board> {
    const asked = new URLSearchParams([...runs.map((run) => ['run', run]), ...(base === null ? [] : [['base', base]])]);
    return (await this.ask(`board?${asked}`, signal)).body as Board;
  }

  private async awaited(path: string, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<unknown> {
    return bodyOf(await this.ready(path, onProgress, signal));
  }

  /** Asks again, ever more slowly, until what is asked for has been computed. */
  private async ready(path: string, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<Response> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      const response = await this.send(path, signal);
      if (response.status !== 202) return response;
      onProgress((await bodyOf(response)) as Progress);
      await this.pause(pause);
      signal.throwIfAborted();
    }
  }

  async glossary(): Promise<Glossary> {
    return (await this.ask('glossary')).body as Glossary;
  }

  async thresholds(): Promise<Thresholds> {
    const { body } = await this.ask('rules');
    const { rules, severities } = body as {
      rules: { id: string; thresholds: Threshold[] }[];
      severities: Threshold[];
    };
    return { rules: Object.fromEntries(rules.map(({ id, thresholds }) => [id, thresholds])), severities };
  }

  async traceAccess(run: string): Promise<TraceAccess> {
    const root = profileRoot(this.baseURI);
    try {
      const listing = new URL('data/plugins_listing', tensorboardRoot(this.baseURI));
      const plugins = (await this.json(listing)) as Record<string, unknown>;
      if (!('profile' in plugins)) return { state: 'no_plugin' };
      const runs = (await this.json(new URL('runs', root))) as string[];
      if (!runs.includes(run)) return { state: 'no_run' };
      const query = new URLSearchParams({ run, tag: 'trace_viewer@' });
      const hosts = (await this.json(new URL(`hosts?${query}`, root))) as { hostname: string }[];
      return { state: 'ready', hosts: hosts.map(({ hostname }) => hostname) };
    } catch {
      return { state: 'no_plugin' };
    }
  }

  private async json(url: URL): Promise<unknown> {
    const response = await this.fetch(url.href);
    if (!response.ok) throw new Error(`${response.status}`);
    return response.json();
  }

  private async ask(path: string, signal?: AbortSignal, method?: string): Promise<{ status: number; body: unknown }> {
    const response = await this.send(path, signal, method);
    return { status: response.status, body: await bodyOf(response) };
  }

  /** Any answer but a refusal. */
  private async send(path: string, signal?: AbortSignal, method?: string): Promise<Response> {
    let response: Response;
    try {
      const init = { ...(signal ? { signal } : {}), ...(method ? { method, headers: { 'X-Tfperf': '1' } } : {}) };
      response = await this.fetch(new URL(path, this.baseURI).href, init);
    } catch (cause) {
      if (signal?.aborted) throw cause;
      throw new BackendError('TensorBoard does not answer. Is it still running?', 'unreachable');
    }
    if (response.ok) return response;
    const { error, kind } = ((await parsed(response)) ?? {}) as { error?: unknown; kind?: unknown };
    throw new BackendError(
      typeof error === 'string' ? error : answered(response),
      KINDS.includes(String(kind)) ? (kind as ErrorKind) : 'internal',
    );
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const body = await parsed(response);
  if (body === null) throw new BackendError(answered(response), 'internal');
  return body;
}

/** The JSON that was sent; null if it is none. */
function parsed(response: Response): Promise<unknown> {
  return response
    .text()
    .then(readable)
    .catch(() => null);
}

function answered({ status }: Response): string {
  return `TensorBoard answered with status ${status}.`;
}

/** The run, what the user typed, and more; without what is null. */
function query(
  { run, tried = [], ...rest }: ReportRequest,
  more: Record<string, string | number | null> = {},
): URLSearchParams {
  const given = Object.entries({ run, ...typedIn(rest), ...more }).filter(([, value]) => value !== null);
  const thresholds = tried.map((text): [string, string] => ['threshold', text]);
  return new URLSearchParams([...given.map(([key, value]): [string, string] => [key, String(value)]), ...thresholds]);
}
