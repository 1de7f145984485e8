import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { findFlag } from '../../../src/config/flags.ts'
import { StartError } from '../../../src/config/start-error.ts'

/** Every flag of kube-apiserver 1.36, those that it hides because they are old included. */
const OF_THE_REFERENCE = `
  admission-control admission-control-config-file advertise-address aggregator-reject-forwarding-redirect
  allow-metric-labels allow-metric-labels-manifest allow-privileged anonymous-auth api-audiences apiserver-count
  audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst
  audit-log-batch-throttle-enable audit-log-batch-throttle-qps audit-log-compress audit-log-format
  audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-mode audit-log-path audit-log-truncate-enabled
  audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-log-version audit-policy-file
  audit-webhook-batch-buffer-size audit-webhook-batch-initial-backoff audit-webhook-batch-max-size
  audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable
  audit-webhook-batch-throttle-qps audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode
  audit-webhook-truncate-enabled audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size
  audit-webhook-version authentication-config authentication-token-webhook-cache-ttl
  authentication-token-webhook-config-file authentication-token-webhook-version authorization-config
  authorization-mode authorization-policy-file authorization-webhook-cache-authorized-ttl
  authorization-webhook-cache-unauthorized-ttl authorization-webhook-config-file authorization-webhook-version
  bind-address cert-dir client-ca-file contention-profiling coordinated-leadership-lease-duration
  coordinated-leadership-renew-deadline coordinated-leadership-retry-period cors-allowed-origins debug-socket-path
  default-not-ready-toleration-seconds default-unreachable-toleration-seconds default-watch-cache-size
  delete-collection-workers disable-admission-plugins disable-http2-serving disabled-metrics
  egress-selector-config-file emulated-version emulation-forward-compatible enable-admission-plugins
  enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector enable-logs-handler
  enable-priority-and-fairness encryption-provider-config encryption-provider-config-automatic-reload
  endpoint-reconciler-type etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period
  etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout
  etcd-servers etcd-servers-overrides event-ttl external-hostname feature-gates goaway-chance
  http2-max-streams-per-connection kubelet-certificate-authority kubelet-client-certificate kubelet-client-key
  kubelet-port kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout kubernetes-service-node-port
  lease-reuse-duration-seconds livez-grace-period log-flush-frequency log-json-info-buffer-size
  log-json-split-stream log-text-info-buffer-size log-text-split-stream logging-format
  max-connection-bytes-per-sec max-mutating-requests-inflight max-requests-inflight min-compatibility-version
  min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url
  oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix peer-advertise-ip
  peer-advertise-port peer-ca-file permit-address-sharing permit-port-sharing profiling proxy-client-cert-file
  proxy-client-key-file request-timeout requestheader-allowed-names requestheader-client-ca-file
  requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
  requestheader-username-headers runtime-config runtime-config-emulation-forward-compatible secure-port
  service-account-extend-token-expiration service-account-issuer service-account-jwks-uri service-account-key-file
  service-account-lookup service-account-max-token-expiration service-account-signing-endpoint
  service-account-signing-key-file service-cluster-ip-range service-node-port-range
  show-hidden-metrics-for-version shutdown-delay-duration shutdown-send-retry-after
  shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout storage-media-type
  strict-transport-security-directives tls-cert-file tls-cipher-suites tls-curve-preferences tls-min-version
  tls-private-key-file tls-sni-cert-key token-auth-file tracing-config-file v vmodule watch-cache
  watch-cache-sizes
`
  .trim()
  .split(/\s+/)

async function noticesOf(...args: readonly string[]): Promise<readonly string[]> {
  return (await readConfig(['--in-memory', ...args], {})).notices
}

async function faultOf(...args: readonly string[]): Promise<string> {
  const error: unknown = await readConfig(['--in-memory', ...args], {}).catch((reason: unknown) => reason)
  if (!(error instanceof StartError)) throw new Error(`no StartError but ${String(error)}`)
  expect([error.exitCode, error.message.includes('\n')]).toEqual([2, false])
  return error.message
}

describe('flags of the reference server', () => {
  it.each(OF_THE_REFERENCE)('--%s is known', (name) => {
    expect(findFlag(name)?.help).toMatch(/\.$/)
  })

  it.each(OF_THE_REFERENCE.flatMap((name) => findFlag(name) ?? []).filter(({ ignored }) => ignored !== undefined))(
    '--$name is taken for what is the case, and otherwise told or refused in one line',
    async ({ name, kind, ignored }) => {
      for (const value of ignored?.accepted ?? []) expect(await noticesOf(`--${name}=${value}`)).toEqual([])
      const other =
        kind === 'switch' ? ['true', 'false'].find((value) => !ignored?.accepted.includes(value)) : 'something'
      if (other === undefined) return
      if (ignored?.otherwise === 'reject') {
        expect(await faultOf(`--${name}=${other}`)).toMatch(new RegExp(`^--${name}: "${other}" is not supported: \\S`))
      } else {
        const notices = await noticesOf(`--${name}=${other}`)
        expect(notices).toHaveLength(1)
        expect(notices[0]).toMatch(new RegExp(`^--${name} has no effect: \\S`))
      }
    },
  )

  it('nothing is told where nothing was said', async () => {
    expect(await noticesOf()).toEqual([])
  })

  it.each([
    ['--audit-log-path=a.log', '--audit-log-path has no effect without --audit-policy-file'],
    [
      '--audit-policy-file=p',
      '--audit-policy-file has no effect without --audit-log-path or --audit-webhook-config-file',
    ],
    ['--audit-webhook-config-file=w', '--audit-webhook-config-file has no effect without --audit-policy-file'],
    ['--audit-log-maxage=3', '--audit-log-maxage has no effect without --audit-log-path'],
    ['--audit-webhook-mode=blocking', '--audit-webhook-mode has no effect without --audit-webhook-config-file'],
    ['--extensions-network', '--extensions-network has no effect without --extensions'],
    [
      '--requestheader-allowed-names=a',
      '--requestheader-allowed-names has no effect without --requestheader-client-ca-file',
    ],
    [
      '--authorization-webhook-version=v1',
      '--authorization-webhook-version has no effect without --authorization-webhook-config-file',
    ],
  ])('that do nothing without another flag are told of: %s', async (flag, notice) => {
    expect(await noticesOf(flag)).toEqual([notice])
  })

  it('that have what they need are not told of', async () => {
    const given = ['--audit-log-path=a', '--audit-policy-file=p', '--audit-log-maxage=3', '--audit-webhook-mode=batch']
    expect(await noticesOf(...given, '--extensions=.', '--extensions-network')).toEqual([])
  })

  it('those that kubeadm passes are all taken', async () => {
    const args = `
      --allow-privileged=true --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction
      --advertise-address=192.0.2.7 --enable-bootstrap-token-auth=true --secure-port=6443
      --service-cluster-ip-range=10.96.0.0/12 --service-account-issuer=https://kubernetes.default.svc.cluster.local
      --kubelet-client-certificate=/etc/kubernetes/pki/a.crt --kubelet-client-key=/etc/kubernetes/pki/a.key
      --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname --proxy-client-cert-file=/a --proxy-client-key-file=/b
      --requestheader-allowed-names=front-proxy-client --requestheader-client-ca-file=/c --requestheader-group-headers=X-Remote-Group
      --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-username-headers=X-Remote-User
      --client-ca-file=/d --tls-cert-file=/e --tls-private-key-file=/f --profiling=false --v=2`
    const config = await readConfig(['--in-memory', ...args.trim().split(/\s+/)], {})
    expect(config.cluster).toMatchObject({ advertiseAddress: '192.0.2.7', externalHost: '192.0.2.7' })
    expect(config.logLevel).toBe('info')
  })
})

describe('what they mean', () => {
  it.each([
    ['--v=2', 'info'],
    ['-v=3', 'debug'],
    ['-v 4', 'debug'],
    ['--v=4 --log-level=warn', 'warn'],
  ])('%s logs at level %s', async (args, level) => {
    expect((await readConfig(['--in-memory', ...args.split(' ')], {})).logLevel).toBe(level)
  })

  it.each([
    ['30000-32767', { first: 30_000, last: 32_767 }],
    ['20000+99', { first: 20_000, last: 20_099 }],
    ['31000-31000', { first: 31_000, last: 31_000 }],
  ])('--service-node-port-range %s', async (text, nodePorts) => {
    expect((await readConfig([`--service-node-port-range=${text}`], {})).cluster.nodePorts).toEqual(nodePorts)
  })

  it('certificates for names may be given several times', async () => {
    const config = await readConfig(
      ['--tls-sni-cert-key', '/a.crt,/a.key', '--tls-sni-cert-key=/b.crt,/b.key:*.b.example,b.example'],
      {},
    )
    expect(config.namedCertificates).toEqual([
      { certificateFile: '/a.crt', keyFile: '/a.key', names: [] },
      { certificateFile: '/b.crt', keyFile: '/b.key', names: ['*.b.example', 'b.example'] },
    ])
  })

  it('gates may be given in parts, and by the name of their component', async () => {
    const { featureGates } = await readConfig(
      ['--feature-gates=kube:WatchList=false', '--feature-gates', 'HPAScaleToZero=true'],
      {},
    )
    expect(featureGates).toMatchObject({ WatchList: false, HPAScaleToZero: true })
  })

  it('the old way to name admission plugins means these and no others', async () => {
    const { admissionPlugins } = await readConfig(['--admission-control=ResourceQuota,NamespaceLifecycle'], {})
    expect([...admissionPlugins]).toEqual(['NamespaceLifecycle', 'ResourceQuota'])
    expect(await faultOf('--admission-control=ResourceQuota', '--enable-admission-plugins=AlwaysAdmit')).toContain(
      'cannot be combined',
    )
  })

  it.each([
    ['--service-node-port-range=30000', 'is not a range of ports like 30000-32767'],
    ['--service-node-port-range=32767-30000', 'is not a range of ports like 30000-32767'],
    ['--service-node-port-range=60000+9999', 'is not a range of ports like 30000-32767'],
    ['--kubernetes-service-node-port=80', '80 is not in --service-node-port-range'],
    ['--advertise-address=here', '"here" is not an IP address'],
    ['--endpoint-reconciler-type=master-count', 'is not one of lease, none'],
    ['--tls-curve-preferences=23,7', '"7" is not one of 23, 24, 25, 29, 4588'],
    ['--tls-sni-cert-key=/a.crt', 'is not CERTIFICATE-FILE,KEY-FILE'],
    ['--v=much', 'is not an integer from 0 to 99'],
  ])('%s is refused', async (argument, text) => {
    expect(await faultOf(argument)).toContain(text)
  })
})
