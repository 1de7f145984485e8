// The checks of the level `baseline`.
import {
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsOnly,
  numberOrAbsent,
  textOrAbsent,
  textOrEmpty,
  textsOnly,
} from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { own } from '../../api/value.ts'
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
  profileType,
  quoteAll,
  setters,
  sorted,
  uses,
} from './pod-view.ts'

const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/'

export const appArmorProfile: Check = (pod) => {
  const isBad = isForbiddenProfile('appArmorProfile')
  const types = contextsOf(pod)
    .filter(isBad)
    .map((security) => profileType(security, 'appArmorProfile') ?? '')
  const annotations = Object.keys(pod.annotations).flatMap((key) => {
    const value = textOrEmpty(pod.annotations, key)
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

function isForbiddenProfile(profile: string): (security: ValueMap) => boolean {
  return (security) => {
    const type = profileType(security, profile)
    return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost'
  }
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
  textsOnly(mapOrEmpty(security, 'capabilities'), 'add').filter((capability) => !CAPABILITIES.has(capability))

export const capabilitiesBaseline: Check = containerCheck(
  'non-default capabilities',
  (container) => extraCapabilities(container).length > 0,
  (bad) => `must not include ${quoteAll(sorted(bad.flatMap(extraCapabilities)))} in securityContext.capabilities.add`,
)

export const hostNamespaces: Check = ({ spec }) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => isTrue(spec, field))
  if (used.length === 0) return undefined
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') }
}

export const hostPathVolumes: Check = ({ spec }) => {
  const volumes = mapsOnly(spec, 'volumes').filter((volume) => mapOrAbsent(volume, 'hostPath') !== undefined)
  if (volumes.length === 0) return undefined
  const names = volumes.map((volume) => textOrEmpty(volume, 'name'))
  return { reason: 'hostPath volumes', detail: named('volume', names) }
}

const hostPortsOf = ({ container }: ContainerView): readonly string[] =>
  mapsOnly(container, 'ports').flatMap((port) => {
    const hostPort = numberOrAbsent(port, 'hostPort') ?? 0
    return hostPort === 0 ? [] : [String(hostPort)]
  })

export const hostPorts: Check = containerCheck(
  'hostPort',
  (container) => hostPortsOf(container).length > 0,
  (bad) => {
    const ports = sorted(bad.flatMap(hostPortsOf))
    return `${uses(bad.length)} ${plural('hostPort', ports.length)} ${ports.join(', ')}`
  },
)

/** The kubelet would call the host of a probe or hook. */
export const hostProbes: Check = (pod) => {
  const containers = namesWhere(pod, (container) => probedHosts(container).length > 0).toSorted()
  if (containers.length === 0) return undefined
  const hosts = sorted(pod.containers.flatMap(probedHosts))
  const what = `${uses(containers.length)} ${plural('probe or lifecycle host', hosts.length)} ${quoteAll(hosts)}`
  return { reason: 'probe or lifecycle host', detail: `${named('container', containers)} ${what}` }
}

function probedHosts({ container }: ContainerView): readonly string[] {
  const lifecycle = mapOrEmpty(container, 'lifecycle')
  const handlers = [
    mapOrEmpty(container, 'livenessProbe'),
    mapOrEmpty(container, 'readinessProbe'),
    mapOrEmpty(container, 'startupProbe'),
    mapOrEmpty(lifecycle, 'postStart'),
    mapOrEmpty(lifecycle, 'preStop'),
  ]
  return handlers
    .flatMap((handler) => [
      textOrEmpty(mapOrEmpty(handler, 'httpGet'), 'host'),
      textOrEmpty(mapOrEmpty(handler, 'tcpSocket'), 'host'),
    ])
    .filter((host) => host !== '')
}

export const privileged: Check = containerCheck(
  'privileged',
  ({ security }) => isTrue(security, 'privileged'),
  () => 'must not set securityContext.privileged=true',
)

export const procMount: Check = containerCheck(
  'procMount',
  ({ security }) => (textOrAbsent(security, 'procMount') ?? 'Default') !== 'Default',
  (bad) => {
    const mounts = sorted(bad.map(({ security }) => textOrEmpty(security, 'procMount')))
    return `must not set securityContext.procMount to ${quoteAll(mounts)}`
  },
)

const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t']

export const seLinuxOptions: CheckVersions = {
  0: seLinuxCheck(SELINUX_TYPES),
  31: seLinuxCheck([...SELINUX_TYPES, 'container_engine_t']),
}

function seLinuxCheck(types: readonly string[]): Check {
  const option = (security: ValueMap, field: string): string =>
    textOrEmpty(mapOrEmpty(security, 'seLinuxOptions'), field)
  const isBadType = (type: string): boolean => !types.includes(type)
  return contextCheck(
    'seLinuxOptions',
    (security) =>
      isBadType(option(security, 'type')) || option(security, 'user') !== '' || option(security, 'role') !== '',
    (bad) => {
      const badTypes = sorted(bad.map((security) => option(security, 'type')).filter(isBadType))
      const set = ['user', 'role'].filter((field) => bad.some((security) => option(security, field) !== ''))
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

/** Before 1.19 profiles were set by annotations. */
export const seccompAnnotations: Check = (pod) => {
  const keys = [SECCOMP_POD, ...pod.containers.map(({ name }) => SECCOMP_CONTAINER + name)]
  const bad = sorted(
    keys.flatMap((key) => {
      const value = own(pod.annotations, key)
      if (typeof value !== 'string' || value === 'runtime/default' || value === 'docker/default') return []
      return value.startsWith('localhost/') ? [] : [`${key}=${JSON.stringify(value)}`]
    }),
  )
  if (bad.length === 0) return undefined
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', bad.length)} ${bad.join(', ')}` }
}

export const seccompProfile: Check = contextCheck('seccompProfile', isForbiddenProfile('seccompProfile'), (bad) => {
  const types = bad.map((security) => profileType(security, 'seccompProfile') ?? '')
  return `must not set securityContext.seccompProfile.type to ${quoteAll(sorted(types))}`
})

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

export const sysctls: CheckVersions = {
  0: sysctlCheck(SYSCTLS),
  27: sysctlCheck(SYSCTLS_27),
  29: sysctlCheck(SYSCTLS_29),
  32: sysctlCheck([...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']),
}

function sysctlCheck(allowed: readonly string[]): Check {
  return ({ security }) => {
    const names = mapsOnly(security, 'sysctls').map((sysctl) => textOrEmpty(sysctl, 'name'))
    const bad = names.filter((name) => !allowed.includes(name))
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
  }
}

export const windowsHostProcess: Check = contextCheck(
  'hostProcess',
  (security) => isTrue(mapOrEmpty(security, 'windowsOptions'), 'hostProcess'),
  () => 'must not set securityContext.windowsOptions.hostProcess=true',
)
