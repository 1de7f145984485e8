// The checks of the level `baseline`: what gives a pod more than the others on its node have.
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
import type { Check, ContainerView } from './pod-view.ts'
import { hasOwnUsers, named, namesWhere, oneOrMany, profileType, quoteAll, setters, sorted } from './pod-view.ts'

const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/'

export const appArmorProfile: Check = (pod) => {
  const isBad = (security: ValueMap): boolean => isForbiddenProfile(profileType(security, 'appArmorProfile'))
  const containers = namesWhere(pod, ({ security }) => isBad(security))
  const types = [pod.security, ...pod.containers.map(({ security }) => security)]
    .filter(isBad)
    .map((security) => profileType(security, 'appArmorProfile') ?? '')
  const annotations = Object.keys(pod.annotations).flatMap((key) => {
    const value = textOrEmpty(pod.annotations, key)
    const isFine = value === '' || value === 'runtime/default' || value.startsWith('localhost/')
    return key.startsWith(APP_ARMOR_PREFIX) && !isFine ? [`${key}=${JSON.stringify(value)}`] : []
  })
  const who = [
    setters(isBad(pod.security), containers),
    annotations.length === 0 ? '' : oneOrMany('annotation', 'annotations', annotations.length),
  ].filter((text) => text !== '')
  if (who.length === 0) return undefined
  const values = [...sorted(types), ...sorted(annotations)]
  return {
    reason: oneOrMany('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoteAll(values)}`,
  }
}

function isForbiddenProfile(type: string | undefined): boolean {
  return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost'
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

export const capabilitiesBaseline: Check = (pod) => {
  const extra = ({ security }: ContainerView): readonly string[] =>
    textsOnly(mapOrEmpty(security, 'capabilities'), 'add').filter((capability) => !CAPABILITIES.has(capability))
  const containers = namesWhere(pod, (container) => extra(container).length > 0)
  if (containers.length === 0) return undefined
  const what = quoteAll(sorted(pod.containers.flatMap(extra)))
  return {
    reason: 'non-default capabilities',
    detail: `${named('container', containers)} must not include ${what} in securityContext.capabilities.add`,
  }
}

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

export const hostPorts: Check = (pod) => {
  const portsOf = ({ container }: ContainerView): readonly string[] =>
    mapsOnly(container, 'ports').flatMap((port) => {
      const hostPort = numberOrAbsent(port, 'hostPort') ?? 0
      return hostPort === 0 ? [] : [String(hostPort)]
    })
  const containers = namesWhere(pod, (container) => portsOf(container).length > 0)
  if (containers.length === 0) return undefined
  const ports = sorted(pod.containers.flatMap(portsOf))
  const uses = `${oneOrMany('uses', 'use', containers.length)} ${oneOrMany('hostPort', 'hostPorts', ports.length)}`
  return { reason: 'hostPort', detail: `${named('container', containers)} ${uses} ${ports.join(', ')}` }
}

/** A probe or hook that names a host makes the node call it. */
export const hostProbes: Check = (pod) => {
  const containers = namesWhere(pod, (container) => probedHosts(container).length > 0).toSorted()
  if (containers.length === 0) return undefined
  const hosts = sorted(pod.containers.flatMap(probedHosts))
  const what = oneOrMany('probe or lifecycle host', 'probe or lifecycle hosts', hosts.length)
  const uses = oneOrMany('uses', 'use', containers.length)
  return {
    reason: 'probe or lifecycle host',
    detail: `${named('container', containers)} ${uses} ${what} ${quoteAll(hosts)}`,
  }
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

export const privileged: Check = (pod) => {
  const containers = namesWhere(pod, ({ security }) => isTrue(security, 'privileged'))
  if (containers.length === 0) return undefined
  return {
    reason: 'privileged',
    detail: `${named('container', containers)} must not set securityContext.privileged=true`,
  }
}

export const procMount: Check = (pod) => {
  const isBad = ({ security }: ContainerView): boolean => {
    const mount = textOrAbsent(security, 'procMount')
    return mount !== undefined && mount !== 'Default'
  }
  const containers = namesWhere(pod, isBad)
  if (containers.length === 0) return undefined
  const mounts = sorted(pod.containers.filter(isBad).map(({ security }) => textOrEmpty(security, 'procMount')))
  return {
    reason: 'procMount',
    detail: `${named('container', containers)} must not set securityContext.procMount to ${quoteAll(mounts)}`,
  }
}

export const procMountUnlessOwnUsers: Check = (pod) => (hasOwnUsers(pod) ? undefined : procMount(pod))

const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t']

export const seLinuxOptions: Check = seLinuxCheck(SELINUX_TYPES)
export const seLinuxOptionsWithEngine: Check = seLinuxCheck([...SELINUX_TYPES, 'container_engine_t'])

function seLinuxCheck(types: readonly string[]): Check {
  const isSet = (security: ValueMap, field: string): boolean =>
    textOrEmpty(mapOrEmpty(security, 'seLinuxOptions'), field) !== ''
  const badType = (security: ValueMap): readonly string[] => {
    const type = textOrEmpty(mapOrEmpty(security, 'seLinuxOptions'), 'type')
    return types.includes(type) ? [] : [type]
  }
  const isBad = (security: ValueMap): boolean =>
    badType(security).length > 0 || isSet(security, 'user') || isSet(security, 'role')
  return (pod) => {
    const all = [pod.security, ...pod.containers.map(({ security }) => security)]
    const containers = namesWhere(pod, ({ security }) => isBad(security))
    const who = setters(isBad(pod.security), containers)
    if (who === '') return undefined
    const bad = sorted(all.flatMap(badType))
    const what = [
      ...(bad.length === 0 ? [] : [named('type', bad)]),
      ...(all.some((security) => isSet(security, 'user')) ? ['user may not be set'] : []),
      ...(all.some((security) => isSet(security, 'role')) ? ['role may not be set'] : []),
    ]
    return {
      reason: 'seLinuxOptions',
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    }
  }
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/'

/** Before 1.19, when profiles were named by annotations. */
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
  const word = oneOrMany('annotation', 'annotations', bad.length)
  return { reason: 'seccompProfile', detail: `forbidden ${word} ${bad.join(', ')}` }
}

export const seccompProfile: Check = (pod) => {
  const isBad = (security: ValueMap): boolean => isForbiddenProfile(profileType(security, 'seccompProfile'))
  const containers = namesWhere(pod, ({ security }) => isBad(security))
  const who = setters(isBad(pod.security), containers)
  if (who === '') return undefined
  const types = [pod.security, ...pod.containers.map(({ security }) => security)]
    .filter(isBad)
    .map((security) => profileType(security, 'seccompProfile') ?? '')
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoteAll(sorted(types))}`,
  }
}

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

export const sysctls: Check = sysctlCheck(SYSCTLS)
export const sysctls27: Check = sysctlCheck(SYSCTLS_27)
export const sysctls29: Check = sysctlCheck(SYSCTLS_29)
export const sysctls32: Check = sysctlCheck([...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'])

function sysctlCheck(allowed: readonly string[]): Check {
  return ({ security }) => {
    const names = mapsOnly(security, 'sysctls').map((sysctl) => textOrEmpty(sysctl, 'name'))
    const bad = names.filter((name) => !allowed.includes(name))
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
  }
}

export const windowsHostProcess: Check = (pod) => {
  const isBad = (security: ValueMap): boolean => isTrue(mapOrEmpty(security, 'windowsOptions'), 'hostProcess')
  const containers = namesWhere(pod, ({ security }) => isBad(security))
  const who = setters(isBad(pod.security), containers)
  if (who === '') return undefined
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` }
}
