import { describe, expect, it } from 'vitest'
import { detailOf, violationsOf } from '../../../src/plugins/pod-security/pod-security.ts'
import type { Level } from '../../../src/plugins/pod-security-policy.ts'
import { isKind } from '../../../src/api/kind-guard.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { canonicalOf } from '../../corpora/kind-of.ts'
import { LATEST, parseVersion, policyOf, ALL_PRIVILEGED } from '../../../src/plugins/pod-security-policy.ts'

function told(level: Level, minor: number, spec: object, annotations: object = {}): string {
  const said = { metadata: { annotations }, spec: { containers: [{ name: 'c' }], ...spec } } as ValueMap
  const pod = canonicalOf({ group: '', kind: 'Pod' }, said)
  return isKind(pod, 'core_v1.Pod') ? detailOf(violationsOf({ level, minor }, pod)) : ''
}

function c(security: object, name = 'c'): object {
  return { name, securityContext: security }
}

/** Everything that the strictest level asks for. */
const STRICT = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [c({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })],
}
const strict = (security: object): object => ({
  ...STRICT,
  containers: [c({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, ...security })],
})

describe('the baseline', () => {
  const engine = { securityContext: { seLinuxOptions: { type: 'container_engine_t' } } }
  const probe = {
    containers: [
      { name: 'c', livenessProbe: { httpGet: { host: 'h' } }, lifecycle: { preStop: { tcpSocket: { host: 'g' } } } },
    ],
  }
  const unmasked = { hostUsers: false, containers: [c({ procMount: 'Unmasked' })] }
  const sysctl = (name: string): object => ({ securityContext: { sysctls: [{ name }] } })
  it.each<[string, number, object, string]>([
    ['a plain pod', LATEST, {}, ''],
    [
      'namespaces of the node',
      LATEST,
      { hostNetwork: true, hostPID: true, hostIPC: true },
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'one privileged container',
      LATEST,
      { containers: [c({ privileged: true })] },
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    [
      'every list of containers',
      LATEST,
      {
        containers: [c({ privileged: true })],
        initContainers: [c({ privileged: true }, 'i')],
        ephemeralContainers: [c({ privileged: true }, 'e')],
      },
      'privileged (containers "i", "c", "e" must not set securityContext.privileged=true)',
    ],
    [
      'capabilities',
      LATEST,
      { containers: [c({ capabilities: { add: ['SYS_TIME', 'NET_RAW', 'CHOWN'] } })] },
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
    ],
    [
      'paths of the node',
      LATEST,
      {
        volumes: [
          { name: 'v', hostPath: {} },
          { name: 'w', hostPath: {} },
        ],
      },
      'hostPath volumes (volumes "v", "w")',
    ],
    [
      'ports of the node',
      LATEST,
      { containers: [{ name: 'c', ports: [{ hostPort: 81 }, { hostPort: 80 }, { hostPort: 0 }] }] },
      'hostPort (container "c" uses hostPorts 80, 81)',
    ],
    [
      'probes to elsewhere',
      34,
      probe,
      'probe or lifecycle host (container "c" uses probe or lifecycle hosts "g", "h")',
    ],
    ['probes to elsewhere, before 1.34', 33, probe, ''],
    [
      'profiles of AppArmor',
      0,
      {
        securityContext: { appArmorProfile: { type: 'Unconfined' } },
        containers: [c({ appArmorProfile: { type: 'Unconfined' } })],
      },
      'forbidden AppArmor profile (pod and container "c" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'types of SELinux',
      30,
      { containers: [c({ seLinuxOptions: { type: 'x', user: 'u', role: 'r' } })] },
      'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set)',
    ],
    [
      'a type of SELinux before it was allowed',
      30,
      engine,
      'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
    ],
    ['a type of SELinux since it is allowed', 31, engine, ''],
    [
      'profiles of seccomp',
      19,
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    ['profiles of seccomp, before 1.19', 18, { securityContext: { seccompProfile: { type: 'Unconfined' } } }, ''],
    [
      'an unmasked /proc',
      34,
      unmasked,
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    ['an unmasked /proc with users of its own', 35, unmasked, ''],
    ['settings of the kernel', LATEST, sysctl('kernel.msgmax'), 'forbidden sysctls (kernel.msgmax)'],
    ['a setting before it was safe', 31, sysctl('net.ipv4.tcp_rmem'), 'forbidden sysctls (net.ipv4.tcp_rmem)'],
    ['a setting since it is safe', 32, sysctl('net.ipv4.tcp_rmem'), ''],
    [
      'a setting before 1.37',
      36,
      sysctl('net.ipv4.tcp_notsent_lowat'),
      'forbidden sysctls (net.ipv4.tcp_notsent_lowat)',
    ],
    ['a setting since 1.37', 37, sysctl('net.ipv4.tcp_notsent_lowat'), ''],
    [
      'another setting before it was safe',
      26,
      sysctl('net.ipv4.ip_local_reserved_ports'),
      'forbidden sysctls (net.ipv4.ip_local_reserved_ports)',
    ],
    ['another setting since it is safe', 27, sysctl('net.ipv4.ip_local_reserved_ports'), ''],
    [
      'processes of the host on Windows',
      LATEST,
      { securityContext: { windowsOptions: { hostProcess: true } } },
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])('tells %s (1.%s)', (_, minor, spec, expected) => {
    expect(told('baseline', minor, spec)).toBe(expected)
  })

  it('looks at annotations too', () => {
    const seccomp = { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' }
    expect(told('baseline', 18, {}, seccomp)).toBe(
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    )
    const armor = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' }
    expect(told('baseline', LATEST, {}, armor)).toBe(
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    )
    expect(told('baseline', LATEST, {}, { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/x' })).toBe('')
  })
})

describe('the restricted level', () => {
  const escalation =
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)'
  const capabilities = 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])'
  const nonRoot = 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)'
  const seccomp =
    'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
  const users = { ...STRICT, securityContext: { seccompProfile: { type: 'RuntimeDefault' }, runAsUser: 0 } }
  it.each<[string, number, object, string]>([
    ['a strict pod', LATEST, STRICT, ''],
    ['a plain pod', LATEST, {}, [escalation, capabilities, nonRoot, seccomp].join(', ')],
    ['a plain pod in 1.22', 22, {}, [escalation, capabilities, nonRoot, seccomp].join(', ')],
    ['a plain pod in 1.18', 18, {}, [escalation, nonRoot].join(', ')],
    ['a plain pod in 1.7', 7, {}, nonRoot],
    ['a pod on Windows in 1.25', 25, { os: { name: 'windows' } }, nonRoot],
    [
      'a pod on Windows in 1.24',
      24,
      { os: { name: 'windows' } },
      [escalation, capabilities, nonRoot, seccomp].join(', '),
    ],
    [
      'capabilities that are added',
      LATEST,
      strict({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } }),
      'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    ['the user root', LATEST, strict({ runAsUser: 0 }), 'runAsUser=0 (container "c" must not set runAsUser=0)'],
    ['the user root in 1.22', 22, strict({ runAsUser: 0 }), ''],
    [
      'root on purpose',
      LATEST,
      strict({ runAsNonRoot: false }),
      'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
    ],
    ['users of its own', 35, { ...users, hostUsers: false }, ''],
    [
      'users of its own in 1.34',
      34,
      { ...users, hostUsers: false },
      `${nonRoot}, runAsUser=0 (pod must not set runAsUser=0)`,
    ],
    [
      'an unmasked /proc',
      35,
      { ...strict({ procMount: 'Unmasked' }), hostUsers: false },
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'a profile of seccomp',
      LATEST,
      strict({ seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'volumes',
      LATEST,
      {
        ...STRICT,
        volumes: [
          { name: 'a', nfs: {} },
          { name: 'b', hostPath: {} },
          { name: 'd', image: {} },
        ],
      },
      'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
    ],
    ['what the baseline forbids', LATEST, { ...STRICT, hostNetwork: true }, 'host namespaces (hostNetwork=true)'],
  ])('tells %s (1.%s)', (_, minor, spec, expected) => {
    expect(told('restricted', minor, spec)).toBe(expected)
  })
})

it('asks nothing of the privileged', () => {
  expect(told('privileged', LATEST, { hostNetwork: true })).toBe('')
})

describe('the labels of a namespace', () => {
  const label = (values: Readonly<Record<string, string>>): never =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    ) as never
  const privileged = { level: 'privileged', minor: LATEST }
  it.each<[string, Readonly<Record<string, string>>, object]>([
    ['nothing', {}, { enforce: privileged, audit: privileged, warn: privileged }],
    [
      'a level, which is warned of too',
      { enforce: 'baseline', 'enforce-version': 'v1.30' },
      { enforce: { level: 'baseline', minor: 30 }, warn: { level: 'baseline', minor: 30 }, audit: privileged },
    ],
    [
      'a level and no warnings',
      { enforce: 'baseline', warn: 'privileged' },
      { enforce: { level: 'baseline', minor: LATEST }, warn: privileged },
    ],
    [
      'another level for warnings',
      { enforce: 'baseline', warn: 'restricted', 'warn-version': 'v1.20' },
      { warn: { level: 'restricted', minor: 20 } },
    ],
    [
      'what is not a level',
      { enforce: 'odd', audit: 'odd', warn: 'odd' },
      { enforce: { level: 'restricted', minor: LATEST }, audit: privileged, warn: privileged },
    ],
  ])('say %s', (_, labels, expected) => {
    expect(policyOf(label(labels), ALL_PRIVILEGED).policy).toMatchObject(expected)
  })

  it('are faults where they say nothing sensible', () => {
    const { faults } = policyOf(label({ enforce: 'odd', 'warn-version': 'v2.0' }), ALL_PRIVILEGED)
    expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "odd": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v2.0": must be "latest" or "v1.x"',
    ])
  })

  it.each([['v1.01'], ['v1.'], ['v1'], ['1.30'], ['v1.30.1'], ['Latest'], ['']])('have no version %s', (text) => {
    expect(parseVersion(text)).toBeUndefined()
  })
})
