// Covers W-479, W-480.
import { namespaceBeside, worded } from '../lib.mjs'

const container = (securityContext, more = {}) => ({ name: 'c', image: 'example.com/i:1', ...(securityContext && { securityContext }), ...more })
const SPECS = {
  plain: {},
  privileged: { containers: [container({ privileged: true })] },
  hostNamespaces: { hostNetwork: true, hostPID: true, hostIPC: true },
  hostPath: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
  capabilities: { containers: [container({ capabilities: { add: ['NET_ADMIN', 'CHOWN'] } })] },
  hostPorts: { containers: [container(undefined, { ports: [{ containerPort: 80, hostPort: 80 }] })] },
  unconfined: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
  root: { securityContext: { runAsUser: 0, runAsNonRoot: false } },
  sysctls: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
  seLinux: { securityContext: { seLinuxOptions: { user: 'u', role: 'r', type: 'bad_t' } } },
  appArmor: { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
  volumes: { volumes: [{ name: 'n', nfs: { server: 's', path: '/p' } }, { name: 'e', emptyDir: {} }] },
  init: { initContainers: [{ ...container({ privileged: true }), name: 'i' }] },
  several: { containers: ['a', 'b', 'd'].map((name) => ({ ...container({ privileged: true }), name })) },
  hostProbes: { containers: [container(undefined, { livenessProbe: { httpGet: { port: 1, host: '192.0.2.1' } } })] },
  good: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })],
  },
}
const PREFIX = 'pod-security.kubernetes.io/'

export default {
  title: 'Pods that the levels of pod security refuse or warn of',
  async run(t) {
    const outcome = { pick: (body) => (body?.kind === 'Status' ? worded.pick(body) : body?.kind) }
    const levels = { baseline: { enforce: 'baseline' }, restricted: { enforce: 'restricted' }, warn: { warn: 'restricted' } }
    for (const [suffix, level] of Object.entries(levels)) {
      const labels = Object.fromEntries(Object.entries(level).map(([mode, value]) => [`${PREFIX}${mode}`, value]))
      const ns = await namespaceBeside(t, `-${suffix}`, labels)
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
      await t.quiet('POST', `/api/v1/namespaces/${ns}/serviceaccounts`, { body: account })
      for (const [label, parts] of Object.entries(SPECS)) {
        const spec = { automountServiceAccountToken: false, containers: [container()], ...parts }
        const template = { metadata: { labels: { a: 'b' } }, spec }
        const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } }
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec }
        if (suffix === 'warn') await t.post(`/apis/apps/v1/namespaces/${ns}/deployments?dryRun=All`, deployment, { ...outcome, label })
        else await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, pod, { ...outcome, label })
      }
    }
    for (const level of [{ enforce: 'bogus' }, { 'enforce-version': 'v1' }, { enforce: 'baseline', 'enforce-version': 'v9.9' }, { warn: 'x', audit: 'y' }]) {
      const labels = Object.fromEntries(Object.entries(level).map(([mode, value]) => [`${PREFIX}${mode}`, value]))
      await t.post('/api/v1/namespaces?dryRun=All', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${t.ns}-x`, labels } }, { ...outcome, label: JSON.stringify(level) })
    }
  },
}
