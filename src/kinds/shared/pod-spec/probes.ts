// The probes and lifecycle hooks of a container.
import type { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  integerOrZero,
  isGiven,
  mapOrAbsent,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import type { Value, ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { httpHeaderName, portName, portNumber } from '../../../schema/validation/formats.ts'
import type { ContainerScope } from './container-scope.ts'

export const PROBES: readonly string[] = ['livenessProbe', 'readinessProbe', 'startupProbe']

export function checkProbes(container: ValueMap, at: FieldPath, scope: ContainerScope): void {
  for (const field of PROBES) {
    const probe = mapOrAbsent(container, field)
    if (probe !== undefined) checkProbe(probe, field, at.child(field), scope)
  }
}

function checkProbe(probe: ValueMap, field: string, at: FieldPath, scope: ContainerScope): void {
  const { check } = scope
  checkHandler(probe, PROBE_HANDLERS, at, scope)
  check.fields(probe, at, 'core_v1.Probe')
  if (field === 'readinessProbe') {
    const grace = integerOrAbsent(probe, 'terminationGracePeriodSeconds')
    const detail = 'must not be set for readinessProbes'
    if (grace !== undefined) check.invalid(at.child('terminationGracePeriodSeconds'), grace, detail)
    return
  }
  const threshold = integerOrZero(probe, 'successThreshold')
  if (Number(threshold) !== 1) check.invalid(at.child('successThreshold'), threshold, 'must be 1')
}

type HandlerRule = (handler: ValueMap, at: FieldPath, scope: ContainerScope) => void

const exec: HandlerRule = (handler, at, { check }) => check.fields(handler, at, 'core_v1.ExecAction')

const httpGet: HandlerRule = (handler, at, { check }) => {
  check.fields(handler, at, 'core_v1.HTTPGetAction', 'path')
  checkPort(handler['port'], at.child('port'), check)
  check.fields(handler, at, 'core_v1.HTTPGetAction', 'scheme')
  for (const header of mapsInPlace(handler, 'httpHeaders')) {
    const name = textOrEmpty(header, 'name')
    check.format(at.child('httpHeaders'), name, httpHeaderName(name))
  }
}

const anyPort: HandlerRule = (handler, at, { check }) => checkPort(handler['port'], at.child('port'), check)

const sleep: HandlerRule = (handler, at, { check, gracePeriod }) => {
  const seconds = integerOrZero(handler, 'seconds')
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return
  check.invalid(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)
}

type Handlers = readonly (readonly [string, HandlerRule])[]

const COMMON_HANDLERS: Handlers = [
  ['exec', exec],
  ['httpGet', httpGet],
  ['tcpSocket', anyPort],
]

const PROBE_HANDLERS: Handlers = [...COMMON_HANDLERS, ['grpc', anyPort]]
const LIFECYCLE_HANDLERS: Handlers = [...COMMON_HANDLERS, ['sleep', sleep]]

function checkHandler(holder: ValueMap, handlers: Handlers, at: FieldPath, scope: ContainerScope): void {
  let found = 0
  for (const [field, rule] of handlers) {
    const handler = mapOrAbsent(holder, field)
    if (handler === undefined) continue
    if (found > 0) scope.check.forbidden(at.child(field), 'may not specify more than 1 handler type')
    else rule(handler, at.child(field), scope)
    found++
  }
  if (found === 0) scope.check.required(at, 'must specify a handler type')
}

/** A port by number or by name. */
export function checkPort(port: Value | undefined, at: FieldPath, check: Check): void {
  if (typeof port === 'string') check.format(at, port, portName(port))
  else {
    const number = typeof port === 'number' ? port : 0
    check.format(at, number, portNumber(number))
  }
}

export function checkLifecycle(lifecycle: ValueMap, at: FieldPath, scope: ContainerScope): void {
  const { check, os } = scope
  for (const field of ['postStart', 'preStop']) {
    check.part(lifecycle, field, at, (handler, place) => checkHandler(handler, LIFECYCLE_HANDLERS, place, scope))
  }
  const signal = textOrAbsent(lifecycle, 'stopSignal')
  if (signal === undefined) return
  const signalAt = at.child('stopSignal')
  if (os === undefined) check.forbidden(signalAt, 'may not be set for containers with empty `spec.os.name`')
  else if (os === 'windows') check.oneOf(signalAt, signal, ['SIGKILL', 'SIGTERM'])
  else if (os === 'linux') check.oneOf(signalAt, signal, LINUX_SIGNALS)
}

const PLAIN_SIGNALS =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMAX RTMIN'

/** In the order in which messages list them. */
const LINUX_SIGNALS: readonly string[] = [
  ...PLAIN_SIGNALS.split(' ').map((name) => `SIG${name}`),
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
].sort()

const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always'

export function refuseProbes(container: ValueMap, at: FieldPath, check: Check): void {
  for (const field of ['lifecycle', ...PROBES]) {
    if (isGiven(container, field)) check.forbidden(at.child(field), ONLY_SIDECARS)
  }
}
