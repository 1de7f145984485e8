// The checks of the level `baseline`.
import { entriesOf, own } from '../../api/value.ts'
import {
  type Check,
  type CheckVersions,
  containerCheck,
  type ContainerView,
  contextCheck,
  contextsOf,
  named,
  namesWhere,
  plural,
  quoteAll,
  type Security,
  setters,
  sorted,
  uses,
} from './pod-view.ts'

const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/'

export const appArmorProfile: Check = (pod) => {
  const isBad = ({ appArmorProfile: profile }: Security): boolean => isForbidden(profile)
  const types = contextsOf(pod)
    .filter(isBad)
    .map((security) => security.appArmorProfile?.type ?? '')
  const annotations = entriesOf(pod.annotations).flatMap(([key, value]) => {
    const isFine = value === '' || value === 'runtime/default' || value.startsWith('localhost/')
    return key.startsWith(APP_ARMOR_PREFIX) && !isFine ? [`${key}=${JSON.stringify(value)}`] : []
  })
  const who = [setters(pod, isBad), annotations.length === 0 ? '' : plural('annotation', annotations.length)].filter(
    (text) => text !== '',
  )
  if (who.length === 0) return undefined
  const values = [...sorted(types), ...sorted(annotations)]
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoteAll(values)}`,
  }
}

function isForbidden(profile: { readonly type: string } | undefined): boolean {
  return profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost'
}

const CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

const extraCapabilities = ({ security }: ContainerView): readonly string[] =>
  security.capabilities?.add?.filter((capability) => !CAPABILITIES.has(capability)) ?? []

export const capabilitiesBaseline: Check = containerCheck(
  'non-default capabilities',
  (container) => extraCapabilities(container).length > 0,
  (bad) => `must not include ${quoteAll(sorted(bad.flatMap(extraCapabilities)))} in securityContext.capabilities.add`,
)

export const hostNamespaces: Check = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true)
  if (used.length === 0) return undefined
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') }
}

export const hostPathVolumes: Check = ({ spec }) => {
  const volumes = spec.volumes?.filter(({ hostPath }) => hostPath !== undefined) ?? []
  if (volumes.length === 0) return undefined
  const names = volumes.map(({ name }) => name)
  return { reason: 'hostPath volumes', detail: named('volume', names) }
}

const hostPortsOf = ({ container }: ContainerView): readonly string[] =>
  (container.ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]))

export const hostPorts: Check = containerCheck(
  'hostPort',
  (container) => hostPortsOf(container).length > 0,
  (bad) => {
    const ports = sorted(bad.flatMap(hostPortsOf))
    return `${uses(bad.length)} ${plural('hostPort', ports.length)} ${ports.join(', ')}`
  },
)

/** Refuses hosts in probes and hooks, because the kubelet would call them. */
export const hostProbes: Check = (pod) => {
  const containers = namesWhere(pod, (container) => probedHosts(container).length > 0).toSorted()
  if (containers.length === 0) return undefined
  const hosts = sorted(pod.containers.flatMap(probedHosts))
  const what = `${uses(containers.length)} ${plural('probe or lifecycle host', hosts.length)} ${quoteAll(hosts)}`
  return { reason: 'probe or lifecycle host', detail: `${named('container', containers)} ${what}` }
}

function probedHosts({ container }: ContainerView): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container
  return [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    .flatMap((handler) => [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? ''])
    .filter((host) => host !== '')
}

export const privileged: Check = containerCheck(
  'privileged',
  ({ security }) => security.privileged === true,
  () => 'must not set securityContext.privileged=true',
)

export const procMount: Check = containerCheck(
  'procMount',
  ({ security: { procMount: type = 'Default' } }) => type !== 'Default',
  (bad) => {
    const mounts = sorted(bad.map(({ security }) => security.procMount ?? ''))
    return `must not set securityContext.procMount to ${quoteAll(mounts)}`
  },
)

const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t']

export const seLinuxOptions: CheckVersions = {
  0: seLinuxCheck(SELINUX_TYPES),
  31: seLinuxCheck([...SELINUX_TYPES, 'container_engine_t']),
}

function seLinuxCheck(types: readonly string[]): Check {
  const option = ({ seLinuxOptions: options }: Security, field: 'type' | 'user' | 'role'): string =>
    options?.[field] ?? ''
  const isBadType = (type: string): boolean => !types.includes(type)
  return contextCheck(
    'seLinuxOptions',
    (security) =>
      isBadType(option(security, 'type')) || option(security, 'user') !== '' || option(security, 'role') !== '',
    (bad) => {
      const badTypes = sorted(bad.map((security) => option(security, 'type')).filter(isBadType))
      const set = (['user', 'role'] as const).filter((field) => bad.some((security) => option(security, field) !== ''))
      const what = [
        ...(badTypes.length === 0 ? [] : [named('type', badTypes)]),
        ...set.map((field) => `${field} may not be set`),
      ]
      return `set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`
    },
  )
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/'

/** Before 1.19, profiles were set by annotations. */
export const seccompAnnotations: Check = (pod) => {
  const keys = [SECCOMP_POD, ...pod.containers.map(({ name }) => SECCOMP_CONTAINER + name)]
  const bad = sorted(
    keys.flatMap((key) => {
      const value = own(pod.annotations, key)
      if (value === undefined || value === 'runtime/default' || value === 'docker/default') return []
      return value.startsWith('localhost/') ? [] : [`${key}=${JSON.stringify(value)}`]
    }),
  )
  if (bad.length === 0) return undefined
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', bad.length)} ${bad.join(', ')}` }
}

export const seccompProfile: Check = contextCheck(
  'seccompProfile',
  (security) => isForbidden(security.seccompProfile),
  (bad) => {
    const types = bad.map((security) => security.seccompProfile?.type ?? '')
    return `must not set securityContext.seccompProfile.type to ${quoteAll(sorted(types))}`
  },
)

const SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
]
const SYSCTLS_27: readonly string[] = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports']
const SYSCTLS_29: readonly string[] = [
  ...SYSCTLS_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
]

const SYSCTLS_32: readonly string[] = [...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']

export const sysctls: CheckVersions = {
  0: sysctlCheck(SYSCTLS),
  27: sysctlCheck(SYSCTLS_27),
  29: sysctlCheck(SYSCTLS_29),
  32: sysctlCheck(SYSCTLS_32),
  37: sysctlCheck([...SYSCTLS_32, 'net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat']),
}

function sysctlCheck(allowed: readonly string[]): Check {
  return ({ security }) => {
    const names = security.sysctls?.map(({ name }) => name) ?? []
    const bad = names.filter((name) => !allowed.includes(name))
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
  }
}

export const windowsHostProcess: Check = contextCheck(
  'hostProcess',
  ({ windowsOptions }) => windowsOptions?.hostProcess === true,
  () => 'must not set securityContext.windowsOptions.hostProcess=true',
)
