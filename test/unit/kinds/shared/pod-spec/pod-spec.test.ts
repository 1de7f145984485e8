import { describe, it } from 'vitest'
import type { Value, ValueMap } from '../../../../../src/api/value.ts'
import { judge, type Row, type Tweak } from '../../judging.ts'

const C = 'spec.containers[0]'
const LABEL = 'a lowercase RFC 1123 label must consist of…'
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of…'
const QUALIFIED = 'name part must consist of alphanumeric characters…'
const ID_RANGE = 'must be between 0 and 2147483647, inclusive'

const row = (name: string, set: Tweak, ...told: readonly string[]): Row => ({ of: 'v1 Pod', case: name, set, told })

/** A tweak of the first container. */
const container = (members: Readonly<Record<string, Value>>): Tweak =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`spec/containers/0/${name}`, value]))

const env = (...list: readonly ValueMap[]): Tweak => container({ env: list })
const volume = (source: ValueMap): Tweak => ({ 'spec/volumes': [{ name: 'v', ...source }] })
const mount = (members: ValueMap): Tweak => ({
  ...volume({ emptyDir: {} }),
  ...container({ volumeMounts: [{ name: 'v', mountPath: '/m', ...members }] }),
})
const probe = (members: ValueMap): Tweak => container({ livenessProbe: members })
const resources = (members: ValueMap): Tweak => container({ resources: members })

const CONTAINERS: readonly Row[] = [
  row('no containers', { 'spec/containers': [] }, 'spec.containers: Required value'),
  row('no name', container({ name: '' }), `${C}.name: Required value`),
  row('a bad name', container({ name: 'A' }), `${C}.name: Invalid value: "A": ${LABEL}`),
  row(
    'a name twice',
    { 'spec/containers/1': { name: 'c', image: 'i' } },
    'spec.containers[1].name: Duplicate value: "c"',
  ),
  row('no image', container({ image: '' }), `${C}.image: Required value`),
  row(
    'space around the image',
    container({ image: ' i' }),
    `${C}.image: Invalid value: " i": must not have leading or trailing whitespace`,
  ),
  row(
    'an unknown pull policy',
    container({ imagePullPolicy: 'Odd' }),
    `${C}.imagePullPolicy: Unsupported value: "Odd": supported values: "Always", "IfNotPresent", "Never"`,
  ),
  row(
    'an unknown place for the last message',
    container({ terminationMessagePolicy: 'Odd' }),
    `${C}.terminationMessagePolicy: Unsupported value: "Odd": supported values: "File", "FallbackToLogsOnError"`,
  ),
  row('no port number', container({ ports: [{}] }), `${C}.ports[0].containerPort: Required value`),
  row(
    'a port out of range',
    container({ ports: [{ containerPort: 70_000 }] }),
    `${C}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
  ),
  row(
    'an unknown protocol',
    container({ ports: [{ containerPort: 1, protocol: 'X' }] }),
    `${C}.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`,
  ),
  row(
    'a port name twice',
    container({
      ports: [
        { containerPort: 1, name: 'p' },
        { containerPort: 2, name: 'p' },
      ],
    }),
    `${C}.ports[1].name: Duplicate value: "p"`,
  ),
  row(
    'a host port twice',
    container({
      ports: [
        { containerPort: 1, hostPort: 8 },
        { containerPort: 2, hostPort: 8 },
      ],
    }),
    `${C}.ports[1].hostPort: Duplicate value: "TCP//8"`,
  ),
  row('no name of a variable', env({ value: 'x' }), `${C}.env[0].name: Required value`),
  row('a bad name of a variable', env({ name: 'a=b' }), `${C}.env[0].name: Invalid value: "a=b": a valid environment…`),
  row(
    'a variable with two sources',
    env({
      name: 'A',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, configMapKeyRef: { name: 'n', key: 'k' } },
    }),
    `${C}.env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time`,
  ),
  row(
    'a variable with a value and a source',
    env({ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    `${C}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
  ),
  row(
    'a variable from an unknown field',
    env({ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName.x' } } }),
    `${C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nodeName.x": error converting fieldPath: field label not supported: spec.nodeName.x`,
  ),
  row(
    'a variable from a key without a name',
    env({ name: 'A', valueFrom: { secretKeyRef: { name: 'n', key: '' } } }),
    `${C}.env[0].valueFrom.secretKeyRef.key: Required value`,
  ),
  row(
    'variables from nothing',
    container({ envFrom: [{}] }),
    `${C}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
  ),
]

const MOUNTS: readonly Row[] = [
  row(
    'no name of a volume to mount',
    mount({ name: '' }),
    `${C}.volumeMounts[0].name: Required value`,
    `${C}.volumeMounts[0].name: Not found: ""`,
  ),
  row('a volume that is not there', mount({ name: 'w' }), `${C}.volumeMounts[0].name: Not found: "w"`),
  row('no place to mount', mount({ mountPath: '' }), `${C}.volumeMounts[0].mountPath: Required value`),
  row(
    'a path out of the volume',
    mount({ subPath: '../x' }),
    `${C}.volumeMounts.subPath: Invalid value: "../x": must not contain '..'`,
  ),
  row(
    'two ways to say a path',
    mount({ subPath: 'a', subPathExpr: 'b' }),
    `${C}.volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`,
  ),
  row(
    'an unknown propagation',
    mount({ mountPropagation: 'Odd' }),
    `${C}.volumeMounts.mountPropagation: Unsupported value: "Odd": supported values: "Bidirectional", "HostToContainer", "None"`,
  ),
  row(
    'propagation without privilege',
    mount({ mountPropagation: 'Bidirectional' }),
    `${C}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
  ),
]

const PROBES: readonly Row[] = [
  row('a probe of nothing', probe({}), `${C}.livenessProbe: Required value: must specify a handler type`),
  row(
    'a probe of two things',
    probe({ exec: { command: ['x'] }, tcpSocket: { port: 1 } }),
    `${C}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`,
  ),
  row('no command', probe({ exec: {} }), `${C}.livenessProbe.exec.command: Required value`),
  row(
    'a port out of range',
    probe({ httpGet: { path: '/', port: 0 } }),
    `${C}.livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
  ),
  row(
    'an unknown scheme',
    probe({ httpGet: { path: '/', port: 1, scheme: 'FTP' } }),
    `${C}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
  ),
  row(
    'a negative delay',
    probe({ tcpSocket: { port: 1 }, initialDelaySeconds: -1 }),
    `${C}.livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0`,
  ),
  row(
    'more than one success',
    probe({ tcpSocket: { port: 1 }, successThreshold: 2 }),
    `${C}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
  ),
  row(
    'a grace period before traffic',
    container({ readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 1 } }),
    `${C}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`,
  ),
]

const RESOURCES: readonly Row[] = [
  row(
    'less than nothing',
    resources({ limits: { cpu: '-1' } }),
    `${C}.resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
    `${C}.resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
  ),
  row(
    'more asked than allowed',
    resources({ requests: { cpu: '2' }, limits: { cpu: '1' } }),
    `${C}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
  ),
  row(
    'an unknown resource',
    resources({ limits: { gold: '1' } }),
    `${C}.resources.limits[gold]: Invalid value: "gold": must be a standard resource type or fully qualified`,
    `${C}.resources.limits[gold]: Invalid value: "gold": must be a standard resource for containers`,
    `${C}.resources.requests[gold]: Invalid value: "gold": must be a standard resource type or fully qualified`,
    `${C}.resources.requests[gold]: Invalid value: "gold": must be a standard resource for containers`,
  ),
  row(
    'a claim that is not there',
    resources({ claims: [{ name: 'x' }] }),
    `${C}.resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty`,
  ),
]

const SECURITY: readonly Row[] = [
  row(
    'a user out of range',
    container({ securityContext: { runAsUser: -1 } }),
    `${C}.securityContext.runAsUser: Invalid value: -1: ${ID_RANGE}`,
  ),
  row(
    'privilege where none is allowed',
    container({ securityContext: { privileged: true } }),
    `${C}.securityContext.privileged: Forbidden: disallowed by cluster policy`,
  ),
  row(
    'a group out of range',
    { 'spec/securityContext': { fsGroup: -1 } },
    `spec.securityContext.fsGroup: Invalid value: -1: ${ID_RANGE}`,
  ),
  row(
    'one name space for processes, twice',
    { 'spec/hostPID': true, 'spec/shareProcessNamespace': true },
    'spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
  ),
  row(
    'a filter without its profile',
    { 'spec/securityContext': { seccompProfile: { type: 'Localhost' } } },
    'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
  ),
]

const VOLUMES: readonly Row[] = [
  row('no name', { 'spec/volumes': [{ emptyDir: {} }] }, 'spec.volumes[0].name: Required value'),
  row(
    'a name twice',
    {
      'spec/volumes': [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
    },
    'spec.volumes[1].name: Duplicate value: "v"',
  ),
  row(
    'two sources',
    volume({ emptyDir: {}, hostPath: { path: '/x' } }),
    'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
  ),
  row('no path on the host', volume({ hostPath: { path: '' } }), 'spec.volumes[0].hostPath.path: Required value'),
  row(
    'a path that goes back',
    volume({ hostPath: { path: '/a/../b' } }),
    'spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
  ),
  row('no secret', volume({ secret: {} }), 'spec.volumes[0].secret.secretName: Required value'),
  row('no map', volume({ configMap: {} }), 'spec.volumes[0].configMap.name: Required value'),
  row(
    'a mode out of range',
    volume({ configMap: { name: 'm', defaultMode: 512 } }),
    'spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
  ),
  row(
    'no claim',
    volume({ persistentVolumeClaim: {} }),
    'spec.volumes[0].persistentVolumeClaim.claimName: Required value',
  ),
  row(
    'a path of a server that is not absolute',
    volume({ nfs: { server: 's', path: 'p' } }),
    'spec.volumes[0].nfs.path: Invalid value: "p": must be an absolute path',
  ),
  row('no driver', volume({ csi: {} }), 'spec.volumes[0].csi.driver: Required value'),
  row(
    'a token for too short a time',
    volume({ projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 1 } }] } }),
    'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
  ),
]

const WHOLE: readonly Row[] = [
  row(
    'an unknown restart policy',
    { 'spec/restartPolicy': 'Odd' },
    'spec.restartPolicy: Unsupported value: "Odd": supported values: "Always", "OnFailure", "Never"',
  ),
  row(
    'an unknown way to resolve names',
    { 'spec/dnsPolicy': 'Odd' },
    'spec.dnsPolicy: Unsupported value: "Odd": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
  ),
  row(
    'no way to resolve names, and no servers',
    { 'spec/dnsPolicy': 'None' },
    'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
  ),
  row(
    'no time at all',
    { 'spec/activeDeadlineSeconds': 0 },
    'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  ),
  row('a bad name of a node', { 'spec/nodeName': 'A' }, `spec.nodeName: Invalid value: "A": ${SUBDOMAIN}`),
  row(
    'a bad name of an account',
    { 'spec/serviceAccountName': 'A' },
    `spec.serviceAccountName: Invalid value: "A": ${SUBDOMAIN}`,
  ),
  row('a bad name of a host', { 'spec/hostname': 'A' }, `spec.hostname: Invalid value: "A": ${LABEL}`),
  row(
    'a node while gates hold the pod',
    { 'spec/nodeName': 'n', 'spec/schedulingGates': [{ name: 'g' }] },
    'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  ),
  row(
    'a toleration of everything by value',
    { 'spec/tolerations': [{ operator: 'Equal', value: 'v' }] },
    'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ),
  row(
    'an unknown effect',
    { 'spec/tolerations': [{ key: 'k', operator: 'Exists', effect: 'Odd' }] },
    'spec.tolerations[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ),
  row(
    'a name for a bad address',
    { 'spec/hostAliases': [{ ip: 'x', hostnames: ['h'] }] },
    'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ),
  row(
    'a gate that is no name',
    { 'spec/readinessGates': [{ conditionType: 'a b' }] },
    `spec.readinessGates[0].conditionType: Invalid value: "a b": ${QUALIFIED}`,
  ),
  row(
    'no skew',
    { 'spec/topologySpreadConstraints': [{ maxSkew: 0, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' }] },
    'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
  ),
  row(
    'a weight out of range',
    {
      'spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution': [
        { weight: 0, podAffinityTerm: { topologyKey: 'k', labelSelector: {} } },
      ],
    },
    'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
  ),
  row(
    'containers for a look inside',
    { 'spec/ephemeralContainers': [{ name: 'e', image: 'i' }] },
    'spec.ephemeralContainers: Forbidden: cannot be set on create',
  ),
  row(
    'an init container that is asked for its health',
    { 'spec/initContainers': [{ name: 'i', image: 'i', livenessProbe: { tcpSocket: { port: 1 } } }] },
    'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
  ),
]

describe.each([
  ['containers', CONTAINERS],
  ['mounts', MOUNTS],
  ['probes', PROBES],
  ['resources', RESOURCES],
  ['security', SECURITY],
  ['volumes', VOLUMES],
  ['the pod as a whole', WHOLE],
])('%s', (_, rows) => {
  it.each(rows)('$case', judge)
})
