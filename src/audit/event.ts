// One line of the audit log: who did what, when, and what came of it, in the form of `audit.k8s.io/v1` (P-185).
import type { User } from '../api/user.ts'
import type { AuditedRequest, AuditLevel, AuditOutcome, AuditStage } from './audit.ts'

export interface EventParts {
  readonly level: AuditLevel
  readonly stage: AuditStage
  readonly request: AuditedRequest
  /** Who they act as. */
  readonly impersonated: User | undefined
  readonly named: NamedObject | undefined
  readonly outcome: AuditOutcome | undefined
  readonly requestObject: unknown
  readonly responseObject: unknown
  /** When the stage was reached. */
  readonly now: string
  readonly annotations: ReadonlyMap<string, string>
}

/** What the body of a request says of the object. */
export interface NamedObject {
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

export type EventFields = Readonly<Record<string, unknown>>

/** What all events of a request have in common, written once. */
export interface SharedText {
  /** requestURI, verb, user. */
  readonly head: string
  /** sourceIPs, userAgent. */
  readonly source: string
  /** objectRef, as long as the body has said nothing of the object. */
  readonly place: string
  readonly received: string
}

export function sharedText(request: AuditedRequest, user: string, received: string): SharedText {
  const { info } = request
  const agent = userAgentOf(request)
  const verb = info.kind === 'broken' ? '' : info.verb
  return {
    head: `"requestURI":${JSON.stringify(request.target)},"verb":${JSON.stringify(verb)},"user":${user}`,
    source: `,"sourceIPs":${JSON.stringify(sourceAddresses(request))}${agent === undefined ? '' : `,"userAgent":${JSON.stringify(agent)}`}`,
    place: placeText(request, undefined),
    received,
  }
}

export function userText(user: User | undefined): string {
  return JSON.stringify(userFields(user))
}

/** The text is written by hand: two events a request are a good part of what auditing costs. */
export class AuditEvent {
  readonly stage: AuditStage
  readonly #text: string

  constructor(stage: AuditStage, text: string) {
    this.stage = stage
    this.#text = text
  }

  /** One line, without its end. */
  json(): string {
    return this.#text
  }

  fields(): EventFields {
    return JSON.parse(this.#text) as EventFields
  }

  /** Without the bodies, and saying so. */
  truncated(): AuditEvent {
    const { requestObject: _, responseObject: __, annotations, ...rest } = this.fields()
    const told = { ...(annotations as object | undefined), 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent(this.stage, JSON.stringify({ ...rest, annotations: told }))
  }
}

/** A body that is too deep to be written is left out: whoever sends one must not stop the server. */
export function eventOf(parts: EventParts, shared: SharedText): AuditEvent {
  try {
    return wholeEvent(parts, shared)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return wholeEvent({ ...parts, requestObject: undefined, responseObject: undefined }, shared)
  }
}

function wholeEvent(parts: EventParts, { head, source, place, received }: SharedText): AuditEvent {
  const { request, stage, outcome, impersonated, named } = parts
  const text =
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${parts.level}","auditID":${JSON.stringify(request.auditId)},` +
    `"stage":"${stage}",${head}` +
    (impersonated === undefined ? '' : `,"impersonatedUser":${userText(impersonated)}`) +
    source +
    (named === undefined ? place : placeText(request, named)) +
    (outcome === undefined ? '' : outcomeText(outcome)) +
    (parts.requestObject === undefined ? '' : `,"requestObject":${JSON.stringify(parts.requestObject)}`) +
    (parts.responseObject === undefined ? '' : `,"responseObject":${JSON.stringify(parts.responseObject)}`) +
    `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${parts.now}"` +
    `${annotationsText(parts.annotations)}}`
  return new AuditEvent(stage, text)
}

function outcomeText(outcome: AuditOutcome): string {
  const isPlain = outcome.status === undefined && outcome.message === undefined
  if (isPlain) return `,"responseStatus":{"metadata":{},"code":${outcome.code}}`
  return `,"responseStatus":${JSON.stringify({ metadata: {}, ...outcome })}`
}

function annotationsText(annotations: ReadonlyMap<string, string>): string {
  if (annotations.size === 0) return ''
  let text = ''
  for (const [key, value] of annotations) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`
  }
  return `,"annotations":{${text}}`
}

function userFields(user: User | undefined): EventFields {
  if (user === undefined) return {}
  const { name, uid, groups, extra } = user
  return {
    username: name,
    uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  }
}

/** Whoever is in between may write what they like here (P-186). */
function sourceAddresses({ headers, remote }: AuditedRequest): readonly string[] {
  const peer = remote.address.replace(/^::ffff:/, '')
  const forwarded = headers['x-forwarded-for']
  const real = headers['x-real-ip']
  if (forwarded === undefined && real === undefined) return [peer]
  const told = [...String(forwarded ?? '').split(','), String(real ?? '')]
  const addresses = told.map((text) => text.trim()).filter((text) => /^[0-9a-fA-F:.]{2,45}$/.test(text))
  return [...new Set([...addresses, peer])]
}

const MAX_AGENT = 1024

function userAgentOf({ headers }: AuditedRequest): string | undefined {
  const agent = headers['user-agent']
  if (typeof agent !== 'string') return undefined
  return agent.length > MAX_AGENT ? `${agent.slice(0, MAX_AGENT)}...TRUNCATED` : agent
}

function placeText(request: AuditedRequest, named: NamedObject | undefined): string {
  const place = objectReference(request, named)
  return place === undefined ? '' : `,"objectRef":${JSON.stringify(place)}`
}

function objectReference({ info }: AuditedRequest, named: NamedObject | undefined): EventFields | undefined {
  if (info.kind !== 'resource') return undefined
  return {
    resource: info.resource,
    namespace: info.namespace,
    name: info.name ?? named?.name,
    uid: named?.uid,
    apiGroup: info.group === '' ? undefined : info.group,
    apiVersion: info.version,
    resourceVersion: named?.resourceVersion,
    subresource: info.subresource,
  }
}

/** Times in RFC 3339 with microseconds. Those of one second have most of their text in common, and many come in one. */
export class TimeTexts {
  #second = Number.NaN
  #text = ''

  /** Milliseconds since 1970. */
  of(milliseconds: number): string {
    const second = Math.floor(milliseconds / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = new Date(second * 1000).toISOString().slice(0, -4)
    }
    const micros = Math.floor((milliseconds - second * 1000) * 1000)
    return `${this.#text}${String(micros).padStart(6, '0')}Z`
  }
}

/** The old form of a line, for those who still read it. */
export function legacyLine(event: AuditEvent): string {
  const fields = event.fields()
  const user = fields['user'] as { username?: string; groups?: readonly string[] }
  const as = fields['impersonatedUser'] as typeof user | undefined
  const place = fields['objectRef'] as { namespace?: string } | undefined
  const outcome = fields['responseStatus'] as AuditOutcome | undefined
  const [address = '<unknown>'] = fields['sourceIPs'] as readonly string[]
  const quoted = (value: unknown): string => JSON.stringify(String(value))
  const list = (values: readonly string[] | undefined, none: string): string =>
    values === undefined ? none : values.map(quoted).join(',')
  return [
    `${String(fields['requestReceivedTimestamp'])} AUDIT:`,
    `id=${quoted(fields['auditID'])}`,
    `stage=${quoted(fields['stage'])}`,
    `ip=${quoted(address)}`,
    `method=${quoted(fields['verb'])}`,
    `user=${quoted(user.username ?? '<none>')}`,
    `groups=${quoted(list(user.groups, '<none>'))}`,
    `as=${quoted(as?.username ?? '<self>')}`,
    `asgroups=${quoted(list(as?.groups, '<lookup>'))}`,
    `user-agent=${quoted(fields['userAgent'] ?? '')}`,
    `namespace=${quoted(place?.namespace ?? '<none>')}`,
    `uri=${quoted(fields['requestURI'])}`,
    `response="${outcome === undefined ? '<deferred>' : outcome.code}"`,
  ].join(' ')
}
