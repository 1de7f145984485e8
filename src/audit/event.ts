// An audit event as a line of JSON, in the form of `audit.k8s.io/v1` (P-185).
import type { User } from '../api/user.ts'
import { readHeaderText } from '../lib/header-text.ts'
import type { AuditedRequest, AuditLevel, AuditOutcome, AuditStage } from './audit.ts'
import { redactedTarget } from './redact.ts'

export interface EventParts {
  readonly level: AuditLevel
  readonly stage: AuditStage
  readonly request: AuditedRequest
  readonly impersonated: Impersonated | undefined
  readonly named: NamedObject | undefined
  readonly outcome: AuditOutcome | undefined
  readonly bodies: BodyTexts
  /** The time at which the stage was reached. */
  readonly now: string
  readonly annotations: ReadonlyMap<string, string>
}

/** The bodies of a request and of its answer, in JSON. */
export interface BodyTexts {
  requestObject?: string | undefined
  responseObject?: string | undefined
}

/** The impersonated user, and the constrained right that allowed the impersonation (P-089). */
export interface Impersonated {
  readonly user: User
  readonly constraint: string | undefined
}

/** The object that the body of a request names. */
export interface NamedObject {
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

export type EventFields = Readonly<Record<string, unknown>>

/** The common parts of all events of a request, written once. */
export interface SharedText {
  /** auditID. */
  readonly id: string
  /** requestURI, verb, user. */
  readonly head: string
  /** sourceIPs, userAgent. */
  readonly source: string
  /** objectRef, before the body has named the object. */
  readonly place: string
  readonly received: string
}

export function sharedText(request: AuditedRequest, caller: CallerText, received: string): SharedText {
  const { info, auditId } = request
  const verb = info.kind === 'broken' ? '' : info.verb
  return {
    id: quoted(auditId),
    head: `"requestURI":${quoted(redactedTarget(request))},"verb":${quoted(verb)},"user":${caller.who}`,
    source: caller.source,
    place: placeText(request, undefined),
    received,
  }
}

/** The texts of the user and the source. */
export interface CallerText {
  readonly who: string
  readonly source: string
}

interface KnownCaller extends CallerText {
  readonly user: User | undefined
  readonly told: Told
}

/** The headers in which clients describe themselves. */
interface Told {
  readonly agent: HeaderValue
  readonly forwarded: HeaderValue
  readonly real: HeaderValue
}

type HeaderValue = AuditedRequest['headers'][string]

/** Keeps the texts of a connection for its next request: most connections serve one client of one user. */
export class CallerTexts {
  readonly #known = new WeakMap<object, KnownCaller>()

  of({ headers, remote }: AuditedRequest, user: User | undefined): CallerText {
    const agent = headers['user-agent']
    const forwarded = headers['x-forwarded-for']
    const real = headers['x-real-ip']
    const known = this.#known.get(remote)
    const told = { agent, forwarded, real }
    if (known !== undefined && known.user === user && isSame(known.told, told)) return known
    const made = { user, told, who: userText(user), source: sourceText(remote.address, told) }
    this.#known.set(remote, made)
    return made
  }
}

function isSame(one: Told, other: Told): boolean {
  return one.agent === other.agent && one.forwarded === other.forwarded && one.real === other.real
}

function userText(user: User | undefined): string {
  return JSON.stringify(userFields(user))
}

function sourceText(address: string, told: Told): string {
  const agent = userAgentOf(told)
  const agentText = agent === undefined ? '' : `,"userAgent":${JSON.stringify(agent)}`
  return `,"sourceIPs":${JSON.stringify(sourceAddresses(address, told))}${agentText}`
}

const PLAIN = /^[ !#-[\]-~]*$/

/** The text as JSON. Most texts need no escapes. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The JSON is put together by hand: writing two events a request is a large part of the cost of auditing. */
export class AuditEvent {
  readonly stage: AuditStage
  readonly #start: string
  readonly #bodies: string
  readonly #end: string

  constructor(stage: AuditStage, start: string, bodies = '', end = '') {
    this.stage = stage
    this.#start = start
    this.#bodies = bodies
    this.#end = end
  }

  /** In characters. */
  get length(): number {
    return this.#start.length + this.#bodies.length + this.#end.length
  }

  /** One line, without the line end. */
  json(): string {
    return this.#start + this.#bodies + this.#end
  }

  /** The members of the event, except the bodies, which take long to parse. */
  fields(): EventFields {
    return JSON.parse(this.#start + this.#end) as EventFields
  }

  /** The event without the bodies, with an annotation that says so. */
  truncated(): AuditEvent {
    const { annotations, ...rest } = this.fields()
    const told = { ...(annotations as object | undefined), 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent(this.stage, JSON.stringify({ ...rest, annotations: told }))
  }
}

export function eventOf(parts: EventParts, { id, head, source, place, received }: SharedText): AuditEvent {
  const { request, stage, outcome, impersonated, named, bodies } = parts
  const start =
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${parts.level}","auditID":${id},"stage":"${stage}",${head}` +
    (impersonated === undefined ? '' : impersonationText(impersonated)) +
    source +
    (named === undefined ? place : placeText(request, named)) +
    (outcome === undefined ? '' : outcomeText(outcome))
  const end = `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${parts.now}"${annotationsText(parts.annotations)}}`
  return new AuditEvent(stage, start, bodyText('requestObject', bodies) + bodyText('responseObject', bodies), end)
}

function bodyText(name: keyof BodyTexts, { [name]: text }: BodyTexts): string {
  return text === undefined ? '' : `,"${name}":${text}`
}

function impersonationText({ user, constraint }: Impersonated): string {
  const metadata =
    constraint === undefined
      ? ''
      : `,"authenticationMetadata":${JSON.stringify({ impersonationConstraint: constraint })}`
  return `,"impersonatedUser":${userText(user)}${metadata}`
}

function outcomeText(outcome: AuditOutcome): string {
  const isPlain = outcome.status === undefined && outcome.message === undefined
  if (isPlain) return `,"responseStatus":{"metadata":{},"code":${outcome.code}}`
  return `,"responseStatus":${JSON.stringify({ metadata: {}, ...outcome })}`
}

function annotationsText(annotations: ReadonlyMap<string, string>): string {
  if (annotations.size === 0) return ''
  let text = ''
  for (const [key, value] of annotations) text += `${text === '' ? '' : ','}${quoted(key)}:${quoted(value)}`
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

/** Keeps only addresses: clients and proxies can write any text into these headers (P-186). */
function sourceAddresses(address: string, { forwarded, real }: Told): readonly string[] {
  const peer = address.replace(/^::ffff:/, '')
  if (forwarded === undefined && real === undefined) return [peer]
  const told = [...String(forwarded ?? '').split(','), String(real ?? '')]
  const addresses = told.map((text) => text.trim()).filter((text) => /^[0-9a-fA-F:.]{2,45}$/.test(text))
  return [...new Set([...addresses, peer])]
}

const MAX_AGENT = 1024

function userAgentOf({ agent }: Told): string | undefined {
  if (typeof agent !== 'string') return undefined
  const text = readHeaderText(agent) ?? agent
  return text.length > MAX_AGENT ? `${text.slice(0, MAX_AGENT)}...TRUNCATED` : text
}

function placeText({ info }: AuditedRequest, named: NamedObject | undefined): string {
  if (info.kind !== 'resource') return ''
  const rest =
    memberText('namespace', info.namespace) +
    memberText('name', info.name ?? named?.name) +
    memberText('uid', named?.uid) +
    memberText('apiGroup', info.group === '' ? undefined : info.group)
  const end = memberText('resourceVersion', named?.resourceVersion) + memberText('subresource', info.subresource)
  return `,"objectRef":{"resource":${quoted(info.resource)}${rest},"apiVersion":${quoted(info.version)}${end}}`
}

function memberText(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quoted(value)}`
}

/** Writes times in RFC 3339 with microseconds. The text of the last second is kept: many times fall into the same second. */
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
    return `${this.#text}${String(1_000_000 + micros).slice(1)}Z`
  }
}

/** The legacy form of a line. */
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
