// Priority levels: the concurrency of their requests, and the queues of waiting requests.
import { FieldPath } from '../../api/field-path.ts'
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../api/gen/kinds.ts'
import { specOf, withMembers } from '../../api/object-members.ts'
import { isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, within, zero } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, METADATA, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { GENERATION_OF_SPEC, WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkMandatory, checkStatus } from './flow-control.ts'

const SPEC = FieldPath.root<PriorityLevelConfigurationSpec>('spec')
const MAX_QUEUES = 10_000_000
const MAX_HASH_BITS = 60
const TYPE = 'flowcontrol.apiserver.k8s.io_v1.LimitedPriorityLevelConfiguration'
const ZERO_SHARES = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

const MANDATORY_LEVELS: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  exempt: { type: 'Exempt' },
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
  },
}

function checkLevel(object: PriorityLevelConfiguration, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { name, annotations = {} } = object.metadata
  if (Object.hasOwn(annotations, ZERO_SHARES)) {
    check.forbidden(METADATA.child('annotations'), `annotation '${ZERO_SHARES}' is forbidden`)
  }
  const isExempt = name === 'exempt'
  checkLevelType(object.spec, isExempt, check)
  checkMandatory(object, MANDATORY_LEVELS, isExempt ? 'exempt' : undefined, check)
  checkStatus(object, check)
}

function checkLevelType(spec: PriorityLevelConfigurationSpec, isExempt: boolean, check: Check): void {
  const { type, limited, exempt } = spec
  const at = SPEC.child('type')
  if (isExempt !== (type === 'Exempt')) {
    check.invalid(at, type, "must be 'Exempt' if and only if `name` is 'exempt'")
  }
  if (type === 'Exempt') {
    if (limited !== undefined) check.forbidden(SPEC.child('limited'), 'must be nil if the type is not Limited')
    const type = 'flowcontrol.apiserver.k8s.io_v1.ExemptPriorityLevelConfiguration'
    check.fields(exempt ?? {}, SPEC.child('exempt'), type)
  } else if (type === 'Limited') {
    if (exempt !== undefined) check.forbidden(SPEC.child('exempt'), 'must be nil if the type is Limited')
    if (limited === undefined) check.required(SPEC.child('limited'), 'must not be empty when type is Limited')
    check.part(spec, 'limited', SPEC, checkLimited)
  } else {
    for (const field of ['exempt', 'limited'] as const) forbidUnchosen(spec[field], SPEC.child(field), check)
    if (type === '') check.required(at)
    else check.notSupported(at, type, ['Exempt', 'Limited'])
  }
}

type Limited = LimitedPriorityLevelConfiguration

function checkLimited(limited: Limited, at: FieldPath<Limited>, check: Check): void {
  check.fields(limited, at, TYPE, 'nominalConcurrencyShares')
  checkResponse(limited.limitResponse, at.child('limitResponse'), check)
  check.fields(limited, at, TYPE, 'lendablePercent', 'borrowingLimitPercent')
}

function checkResponse({ type, queuing }: LimitResponse, at: FieldPath<LimitResponse>, check: Check): void {
  if (type === 'Reject') {
    if (queuing === undefined) return
    check.forbidden(at.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited')
  } else if (type === 'Queue') {
    if (queuing !== undefined) checkQueuing(queuing, at.child('queuing'), check)
    else check.required(at.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited')
  } else {
    forbidUnchosen(queuing, at.child('queuing'), check)
    if (type === '') check.required(at.child('type'))
    else check.notSupported(at.child('type'), type, ['Queue', 'Reject'])
  }
}

/** Refuses a member of a union if the value of the union's `type` is unknown (level 1.37). */
function forbidUnchosen(member: unknown, at: FieldPath, check: Check): void {
  if (member !== undefined && check.form.namesChoices) check.forbidden(at, '')
}

function checkQueuing(queuing: QueuingConfiguration, at: FieldPath, check: Check): void {
  check.fields(queuing, at, 'flowcontrol.apiserver.k8s.io_v1.QueuingConfiguration')
  const { queues, handSize: hand } = queuing
  if (queues <= 0) check.invalid(at.child('queues'), queues, 'must be positive')
  else if (queues > MAX_QUEUES) check.invalid(at.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`)
  const place = at.child('handSize')
  if (hand <= 0) check.invalid(place, hand, 'must be positive')
  else if (hand > queues) check.invalid(place, hand, `should not be greater than queues (${queues})`)
  else if (Math.ceil(Math.log2(queues) * hand) > MAX_HASH_BITS) {
    const sizes = `deckSize ${queues} and handSize ${hand}`
    check.invalid(place, hand, `required entropy bits of ${sizes} should not be greater than ${MAX_HASH_BITS}`)
  }
}

function queuing(field: keyof QueuingConfiguration): (level: PriorityLevelConfiguration) => Value {
  return ({ spec }) => spec.limited?.limitResponse.queuing?.[field] ?? '<none>'
}

/** Renames the field for the shares, which has another name in older versions. */
function withSharesRenamed(document: ValueMap): ValueMap {
  const spec = specOf(document)
  const { limited } = spec
  const shares = isMap(limited) ? own(limited, 'assuredConcurrencyShares') : undefined
  if (!isMap(limited) || shares === undefined) return document
  const renamed = withMembers(limited, { assuredConcurrencyShares: undefined, nominalConcurrencyShares: shares })
  return { ...document, spec: { ...spec, limited: renamed } }
}

export const PRIORITY_LEVEL_CONFIGURATION: Kind = typedKind<PriorityLevelConfiguration>({
  validation: {
    create: checkLevel,
    update: (object, _stored, check) => checkLevel(object, check),
    subresources: { status: (object, _stored, check) => checkStatus(object, check) },
  },
  defaults: within({
    spec: within({
      limited: within({
        nominalConcurrencyShares: absent(30),
        lendablePercent: absent(0),
        limitResponse: within({
          queuing: within({ handSize: zero(8), queues: zero(64), queueLengthLimit: zero(50) }),
        }),
      }),
      exempt: within({ nominalConcurrencyShares: absent(0), lendablePercent: absent(0) }),
    }),
  }),
  strategy: { generation: GENERATION_OF_SPEC, status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    column('Type', 'Limited or exempt.', ({ spec }) => spec.type),
    column('NominalConcurrencyShares', 'The share of the requests under way.', ({ spec: { limited } }) =>
      limited === undefined ? '<none>' : (limited.nominalConcurrencyShares ?? 0),
    ),
    column('Queues', 'The number of queues.', queuing('queues')),
    column('HandSize', 'The number of queues for the requests of one flow.', queuing('handSize')),
    column('QueueLengthLimit', 'The largest number of requests that wait in one queue.', queuing('queueLengthLimit')),
    AGE,
  ]),
  olderVersions: {
    'flowcontrol.apiserver.k8s.io/v1beta1': withSharesRenamed,
    'flowcontrol.apiserver.k8s.io/v1beta2': withSharesRenamed,
    'flowcontrol.apiserver.k8s.io/v1beta3': 'same',
  },
})
