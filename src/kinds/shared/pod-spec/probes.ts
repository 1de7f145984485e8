// The probes and lifecycle hooks of a container.
import type {
  Container,
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
} from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { type Check, givenParts, type PartRules } from '../../../schema/validation/check.ts'
import { httpHeaderName, portName, portNumber } from '../../../schema/validation/formats.ts'
import type { ContainerScope } from './container-scope.ts'

export const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const

export function checkProbes(container: Container, at: FieldPath<Container>, scope: ContainerScope): void {
  for (const field of PROBES) {
    const probe = container[field]
    if (probe !== undefined) checkProbe(probe, field, at.child(field), scope)
  }
}

function checkProbe(probe: Probe, field: string, at: FieldPath<Probe>, scope: ContainerScope): void {
  const { check } = scope
  checkOneHandler(givenParts(probe, at, PROBE_HANDLERS, scope), at, check)
  check.fields(probe, at, 'core_v1.Probe')
  if (field === 'readinessProbe') {
    const { terminationGracePeriodSeconds: grace } = probe
    const detail = 'must not be set for readinessProbes'
    if (grace !== undefined) check.invalid(at.child('terminationGracePeriodSeconds'), grace, detail)
    return
  }
  const { successThreshold: threshold = 0 } = probe
  if (threshold !== 1) check.invalid(at.child('successThreshold'), threshold, 'must be 1')
}

type HandlerRule<T> = (handler: T, at: FieldPath<T>, scope: ContainerScope) => void

const exec: HandlerRule<ExecAction> = (handler, at, { check }) => check.fields(handler, at, 'core_v1.ExecAction')

const httpGet: HandlerRule<HTTPGetAction> = (handler, at, { check }) => {
  check.fields(handler, at, 'core_v1.HTTPGetAction', 'path')
  checkPort(handler.port, at.child('port'), check)
  check.fields(handler, at, 'core_v1.HTTPGetAction', 'scheme')
  for (const { name } of handler.httpHeaders ?? []) {
    check.format(at.child('httpHeaders'), name, httpHeaderName(name))
  }
  check.fields(handler, at, 'core_v1.HTTPGetAction', 'protocol')
  const { protocol, scheme, host } = handler
  if (protocol !== 'HTTP2') return
  if (scheme !== 'HTTP') check.invalid(at.child('protocol'), protocol, 'is only supported with HTTP (H2C)')
  else if (host !== undefined) check.invalid(at.child('host'), host, 'must be empty when `protocol` is "HTTP2"')
}

const anyPort: HandlerRule<{ readonly port: number | string }> = (handler, at, { check }) =>
  checkPort(handler.port, at.child('port'), check)

const grpc: HandlerRule<GRPCAction> = (handler, at, { check }) => {
  checkPort(handler.port, at.child('port'), check)
  check.fields(handler, at, 'core_v1.GRPCAction')
}

const sleep: HandlerRule<SleepAction> = ({ seconds }, at, { check, gracePeriod }) => {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return
  check.invalid(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)
}

const COMMON_HANDLERS = { exec, httpGet, tcpSocket: anyPort } as const
const PROBE_HANDLERS: PartRules<Probe, ContainerScope> = { ...COMMON_HANDLERS, grpc }
const LIFECYCLE_HANDLERS: PartRules<LifecycleHandler, ContainerScope> = { ...COMMON_HANDLERS, sleep }

function checkOneHandler(handlers: ReturnType<typeof givenParts>, at: FieldPath, check: Check): void {
  const [first, ...others] = handlers
  if (first === undefined) check.required(at, 'must specify a handler type')
  else first.check()
  for (const other of others) check.forbidden(other.at, 'may not specify more than 1 handler type')
}

/** Checks a port, by number or by name. */
export function checkPort(port: number | string, at: FieldPath, check: Check): void {
  if (typeof port === 'string') check.format(at, port, portName(port))
  else check.format(at, port, portNumber(port))
}

export function checkLifecycle(lifecycle: Lifecycle, at: FieldPath<Lifecycle>, scope: ContainerScope): void {
  const { check, os } = scope
  for (const field of ['postStart', 'preStop'] as const) {
    check.part(lifecycle, field, at, (handler, place) =>
      checkOneHandler(givenParts(handler, place, LIFECYCLE_HANDLERS, scope), place, check),
    )
  }
  const { stopSignal: signal } = lifecycle
  if (signal === undefined) return
  const signalAt = at.child('stopSignal')
  if (os === undefined) check.forbidden(signalAt, 'may not be set for containers with empty `spec.os.name`')
  else if (os === 'windows') check.oneOf(signalAt, signal, ['SIGKILL', 'SIGTERM'])
  else if (os === 'linux') check.oneOf(signalAt, signal, LINUX_SIGNALS)
}

const PLAIN_SIGNALS =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMAX RTMIN'

/** In the order in which messages list the signals. */
const LINUX_SIGNALS: readonly string[] = [
  ...PLAIN_SIGNALS.split(' ').map((name) => `SIG${name}`),
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
].sort()

const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always'

export function refuseProbes(container: Container, at: FieldPath<Container>, check: Check): void {
  for (const field of ['lifecycle', ...PROBES] as const) {
    if (container[field] !== undefined) check.forbidden(at.child(field), ONLY_SIDECARS)
  }
}
