// Makes the audit events of a request at its stages, as the policy says.
import { jsonText } from '../api/json-text.ts'
import type { Value } from '../api/value.ts'
import type { User } from '../api/user.ts'
import type { Clock } from '../lib/clock.ts'
import type { Count } from '../lib/measure.ts'
import type { AuditBackend } from './backends.ts'
import { AUDIT_LEVELS, type AuditedRequest, type AuditLevel, type AuditOutcome, type AuditStage } from './audit.ts'
import {
  type BodyTexts,
  CallerTexts,
  eventOf,
  type Impersonated,
  type NamedObject,
  type SharedText,
  sharedText,
  TimeTexts,
} from './event.ts'
import type { AuditMeasures } from './measures.ts'
import { type AuditPolicy, type AuditRule, findRule } from './policy.ts'
import { type BodyText, isSecretPlace, redactedOutcome } from './redact.ts'

export interface AuditorOptions {
  readonly policy: AuditPolicy
  readonly backends: readonly AuditBackend[]
  readonly clock: Clock
  readonly measures: AuditMeasures
  readonly bodyText: BodyText
}

interface RecordOptions extends AuditorOptions {
  /** Events that wait for the text of a body. */
  readonly late: Set<Promise<void>>
  readonly callers: CallerTexts
  readonly times: TimeTexts
  readonly made: Count
}

/** If a request took longer, its last event has an annotation with the duration. */
const SLOW_MS = 500

export class Auditor {
  readonly #options: RecordOptions
  readonly #levels: ReadonlyMap<AuditLevel, Count>
  /** A new policy applies from the next request on. */
  policy: AuditPolicy

  constructor(options: AuditorOptions) {
    this.policy = options.policy
    this.#options = {
      ...options,
      late: new Set(),
      callers: new CallerTexts(),
      times: new TimeTexts(),
      made: options.measures.events.of(),
    }
    this.#levels = new Map(AUDIT_LEVELS.map((level) => [level, options.measures.levels.of(level)]))
  }

  /** Begins the record of a request. Undefined: the request is not audited. */
  begin(request: AuditedRequest, user: User): AuditRecord | undefined {
    const rule = findRule(this.policy, request, user)
    this.#levels.get(rule?.level ?? 'None')!.value++
    return rule === undefined ? undefined : new AuditRecord(this.#options, request, { rule, user })
  }

  /** Writes one event of a request whose user is unknown (P-189). */
  refuse(request: AuditedRequest, outcome: AuditOutcome): void {
    const rule = findRule(this.policy, request, undefined)
    this.#levels.get(rule?.level ?? 'None')!.value++
    if (rule === undefined) return
    const record = new AuditRecord(this.#options, request, { rule, user: undefined })
    record.outcome = outcome
    void record.reach('ResponseStarted')
  }

  /** Resolves when the backends have all events. */
  async flushed(): Promise<void> {
    await Promise.allSettled(this.#options.late)
  }
}

export class AuditRecord {
  readonly annotations = new Map<string, string>()
  readonly request: AuditedRequest
  outcome: AuditOutcome | undefined
  readonly #options: RecordOptions
  readonly #rule: AuditRule
  readonly #user: User | undefined
  readonly #receivedMs: number
  #text: SharedText | undefined
  /** The name, uid and resourceVersion of the object in the body. */
  #named: NamedObject | undefined
  #impersonated: Impersonated | undefined
  readonly #bodies: BodyTexts = {}
  /**
   * Resolves when the texts of the bodies are known. Undefined: they are known already. The request waits, so that bodies do not pile up.
   */
  bodiesWritten: Promise<void> | undefined

  constructor(
    options: RecordOptions,
    request: AuditedRequest,
    { rule, user }: { readonly rule: AuditRule; readonly user: User | undefined },
  ) {
    this.#options = options
    this.request = request
    this.#rule = rule
    this.#user = user
    this.#receivedMs = options.clock.now()
  }

  get wantsRequestBody(): boolean {
    const { level } = this.#rule
    return this.request.info.kind === 'resource' && (level === 'Request' || level === 'RequestResponse')
  }

  get wantsResponseBody(): boolean {
    return this.request.info.kind === 'resource' && this.#rule.level === 'RequestResponse'
  }

  /** Adds an annotation. The first value of a key stays. */
  annotate(key: string, value: string): void {
    if (!this.annotations.has(key)) this.annotations.set(key, value)
  }

  nameObject(named: NamedObject | undefined): void {
    this.#named = named
  }

  /** From here on, the request acts as another user. */
  actFor(user: User, constraint: string | undefined): void {
    this.#impersonated = { user, constraint }
  }

  keepBody(name: keyof BodyTexts, bytes: Buffer, contentType: string): void {
    const { info } = this.request
    const isPatch = name === 'requestObject' && info.kind === 'resource' && info.verb === 'patch'
    const { omitManagedFields } = this.#rule
    const user = this.#user?.name ?? ''
    const text = this.#options.bodyText({ bytes, contentType, user, info, isPatch, omitManagedFields })
    if (!(text instanceof Promise)) return void (this.#bodies[name] = text)
    const written = Promise.all([text, this.bodiesWritten]).then(([told]) => {
      this.#bodies[name] = told
      if (this.bodiesWritten === written) this.bodiesWritten = undefined
    })
    this.bodiesWritten = written
  }

  /** Keeps a Status as the response object, unless the Status may quote a secret. */
  keepFailure(status: Value): void {
    if (!isSecretPlace(this.request.info)) this.#bodies.responseObject = jsonText(status)
  }

  /**
   * Writes the event of the stage, unless the rule omits the stage. A promise: the request must wait for it. The promise rejects if the
   * request must not go on.
   */
  reach(stage: AuditStage): Promise<void> | undefined {
    if (this.#rule.omitStages.has(stage)) return undefined
    const { clock, late } = this.#options
    // The event of the arrival has the time of the arrival, even if it is written later.
    const nowMs = stage === 'RequestReceived' ? this.#receivedMs : clock.now()
    if (this.bodiesWritten === undefined) return this.#write(stage, nowMs)
    const write = this.bodiesWritten.then(() => this.#write(stage, nowMs)).finally(() => late.delete(write))
    late.add(write)
    return write
  }

  #write(stage: AuditStage, nowMs: number): Promise<void> | undefined {
    const { backends, callers, made, times } = this.#options
    if (stage === 'ResponseComplete' && nowMs - this.#receivedMs > SLOW_MS) this.#tellTime(nowMs)
    this.#text ??= sharedText(this.request, callers.of(this.request, this.#user), times.of(this.#receivedMs))
    const event = eventOf(
      {
        level: this.#rule.level,
        stage,
        request: this.request,
        impersonated: this.#impersonated,
        named: this.#named,
        outcome: this.outcome === undefined ? undefined : redactedOutcome(this.outcome, this.request.info),
        bodies: this.#bodies,
        now: nowMs === this.#receivedMs ? this.#text.received : times.of(nowMs),
        annotations: this.annotations,
      },
      this.#text,
    )
    made.value++
    let wait: Promise<void> | undefined
    for (const backend of backends) {
      const taken = backend.process(event)
      if (taken !== undefined) wait = wait === undefined ? taken : Promise.all([wait, taken]).then(() => {})
    }
    return wait
  }

  #tellTime(nowMs: number): void {
    const key = 'apiserver.latency.k8s.io/total'
    const milliseconds = nowMs - this.#receivedMs
    const text = milliseconds < 1000 ? `${milliseconds.toFixed(6)}ms` : `${(milliseconds / 1000).toFixed(9)}s`
    this.annotate(key, text)
  }
}
