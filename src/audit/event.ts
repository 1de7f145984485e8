// One line of the audit log: who did what, when, and what came of it, in the form of `audit.k8s.io/v1` (P-185).
import type { User } from '../api/user.ts'
import type { AuditedRequest, AuditLevel, AuditOutcome, AuditStage } from './audit.ts'

export interface EventParts {
  readonly level: AuditLevel
  readonly stage: AuditStage
  readonly request: AuditedRequest
  /** Whose credentials were shown; undefined: nobody's that are good. */
  readonly user: User | undefined
  /** Who they act as. */
  readonly impersonated: User | undefined
  readonly named: NamedObject | undefined
  readonly outcome: AuditOutcome | undefined
  readonly requestObject: unknown
  readonly responseObject: unknown
  /** In milliseconds since 1970. */
  readonly receivedMs: number
  readonly nowMs: number
  readonly annotations: ReadonlyMap<string, string>
}

/** What the body of a request says of the object. */
export interface NamedObject {
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

export type EventFields = Readonly<Record<string, unknown>>

export class AuditEvent {
  readonly stage: AuditStage
  readonly fields: EventFields
  #json: string | undefined

  constructor(stage: AuditStage, fields: EventFields) {
    this.stage = stage
    this.fields = fields
  }

  /** One line, without its end. */
  json(): string {
    return (this.#json ??= JSON.stringify(this.fields))
  }

  /** Without the bodies, and saying so. */
  truncated(): AuditEvent {
    const { requestObject: _, responseObject: __, annotations, ...rest } = this.fields
    const told = { ...(annotations as object | undefined), 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent(this.stage, { ...rest, annotations: told })
  }
}

export function eventOf(parts: EventParts): AuditEvent {
  const { request, stage, outcome, annotations } = parts
  const { info } = request
  return new AuditEvent(stage, {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: parts.level,
    auditID: request.auditId,
    stage,
    requestURI: request.target,
    verb: info.kind === 'broken' ? '' : info.verb,
    user: userFields(parts.user),
    impersonatedUser: parts.impersonated === undefined ? undefined : userFields(parts.impersonated),
    authenticationMetadata:
      request.impersonationConstraint === undefined
        ? undefined
        : { impersonationConstraint: request.impersonationConstraint },
    sourceIPs: sourceAddresses(request),
    userAgent: userAgentOf(request),
    objectRef: objectReference(request, parts.named),
    responseStatus: outcome === undefined ? undefined : { metadata: {}, ...outcome },
    requestObject: parts.requestObject,
    responseObject: parts.responseObject,
    requestReceivedTimestamp: microTime(parts.receivedMs),
    stageTimestamp: microTime(parts.nowMs),
    annotations: annotations.size === 0 ? undefined : Object.fromEntries(annotations),
  })
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

/** RFC 3339 with microseconds. */
function microTime(milliseconds: number): string {
  const micros = Math.floor((milliseconds % 1) * 1000)
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

/** The old form of a line, for those who still read it. */
export function legacyLine({ fields }: AuditEvent): string {
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
