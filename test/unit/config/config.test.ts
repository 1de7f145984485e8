import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DEFAULT_LEVEL } from '../../../src/api/level.ts'
import { readConfig } from '../../../src/config/config.ts'
import { StartError } from '../../../src/config/start-error.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text)
  return path.join(folder, name)
}

async function faultOf(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const error: unknown = await readConfig(args, environment).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof StartError)) throw new Error(`no StartError but ${String(error)}`)
  expect(error.exitCode).toBe(2)
  expect(error.message).not.toContain('\n')
  return error.message
}

describe('the configuration', () => {
  it.each([
    [[], DEFAULT_LEVEL],
    [['--emulated-version', '1.36'], '1.36'],
    [['--emulated-version=1.37'], '1.37'],
    [['--emulated-version', 'kube=1.36'], '1.36'],
    [['--emulated-version', 'kube:1.37'], '1.37'],
  ])('says which level of the API is served: %j', async (args, level) => {
    expect((await readConfig(args, {})).level).toBe(level)
  })

  it.each([
    ['pods', '--index: expected RESOURCE=FIELD[,FIELD...], not "pods"'],
    ['pods=', '--index: pods: 1:1: expected the name of a field'],
    ['pods=spec.nodeName;pods=status.phase', '--index: pods is listed twice'],
    ['Pods=spec.nodeName', '--index: expected RESOURCE=FIELD[,FIELD...], not "Pods=spec.nodeName"'],
    ["pods=metadata.labels['\\\\']", "--index: pods: 1:1: metadata.labels['\\\\'] cannot be indexed"],
  ])('refuses indexes such as %s', async (text, message) => {
    expect(await faultOf([`--index=${text}`])).toContain(message)
  })

  it('has the gates of its level', async () => {
    const at = async (level: string) => (await readConfig(['--emulated-version', level], {})).featureGates
    expect([(await at('1.36'))['HPAScaleToZero'], (await at('1.37'))['HPAScaleToZero']]).toEqual([false, true])
    expect(await at('1.36')).toHaveProperty('SidecarContainers')
    expect(await at('1.37')).not.toHaveProperty('SidecarContainers')
  })

  it('refuses a level that it cannot serve', async () => {
    await expect(readConfig(['--emulated-version', '1.35'], {})).rejects.toThrow(
      '--emulated-version: "1.35" is not an API level that can be served: 1.36, 1.37',
    )
  })

  it('needs no flags', async () => {
    const config = await readConfig([], {})
    expect(config).toMatchObject({
      storage: { kind: 'embedded', directory: path.join(homedir(), '.local/share/quarterdeck/store') },
      storagePrefix: '/registry/',
      bindAddress: '127.0.0.1',
      securePort: 6443,
      requestTimeoutMs: 60_000,
      authorization: {
        authorizers: [
          { kind: 'mode', mode: 'Node', name: 'node' },
          { kind: 'mode', mode: 'RBAC', name: 'rbac' },
        ],
        policyFile: undefined,
        file: undefined,
      },
      serviceIpRange: { firstAddress: '10.96.0.1' },
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('takes values after a space and after an equals sign, and switches without any', async () => {
    const config = await readConfig(['--in-memory', '--secure-port', '0', '--anonymous-auth=false'], {})
    expect(config).toMatchObject({ storage: { kind: 'memory' }, securePort: 0, anonymousRequests: false })
    expect(config.dataDirectory).toBeUndefined()
  })

  it('serves with the pair that lies in the certificate directory, and keeps its own there where there is none', async () => {
    const directory = path.join(folder, 'certs')
    mkdirSync(directory)
    const args = ['--in-memory', '--cert-dir', directory]
    expect(await readConfig(args, {})).toMatchObject({ certificateDirectory: directory, servingCertificate: undefined })
    const [certificateFile, keyFile] = [file('certs/apiserver.crt', ''), file('certs/apiserver.key', '')]
    expect((await readConfig(args, {})).servingCertificate).toEqual({ certificateFile, keyFile })
    const others = ['--tls-cert-file', '/a', '--tls-private-key-file', '/b']
    expect((await readConfig([...args, ...others], {})).servingCertificate?.certificateFile).toBe('/a')
  })

  it('lets webhooks be on this machine only where the server is on this machine only', async () => {
    expect((await readConfig([], {})).egress).toEqual({ loopback: true, allow: [], deny: [] })
    const args = ['--bind-address', '0.0.0.0', '--egress-allow', '127.0.0.0/8', '--egress-deny', '10.0.0.0/8,fd00::/8']
    expect((await readConfig(args, {})).egress).toEqual({
      loopback: false,
      allow: ['127.0.0.0/8'],
      deny: ['10.0.0.0/8', 'fd00::/8'],
    })
    expect(await faultOf(['--egress-allow', '10.0.0.1'])).toContain('is not a range like 10.0.0.0/8')
  })

  it('reads durations in Go’s form', async () => {
    expect((await readConfig(['--shutdown-delay-duration', '1m30s'], {})).shutdownDelayMs).toBe(90_000)
  })

  it('puts the command line before the environment before the file before the defaults', async () => {
    const config = file('a.yaml', 'secure-port: 1\nbind-address: 0.0.0.0\nlog-level: warn\nin-memory: true\n')
    const environment = { QUARTERDECK_SECURE_PORT: '2', QUARTERDECK_BIND_ADDRESS: '::', HOME: '/x' }
    expect(await readConfig(['--config', config, '--secure-port', '3'], environment)).toMatchObject({
      securePort: 3,
      bindAddress: '::',
      logLevel: 'warn',
      storage: { kind: 'memory' },
      requestTimeoutMs: 60_000,
    })
  })

  it('reads lists and JSON from a file', async () => {
    const config = file('b.json', '{"etcd-servers": ["https://a:2379", "https://b:2379/"], "etcd-prefix": "x/y"}')
    expect(await readConfig(['--config', config], {})).toMatchObject({
      storage: { kind: 'etcd', endpoints: ['https://a:2379', 'https://b:2379'] },
      storagePrefix: '/x/y/',
    })
  })

  it('sets a data directory of the environment aside for --in-memory on the command line', async () => {
    const environment = { QUARTERDECK_DATA_DIR: '/data' }
    expect((await readConfig(['--in-memory'], environment)).storage).toEqual({ kind: 'memory' })
    expect(await faultOf([], { ...environment, QUARTERDECK_IN_MEMORY: 'true' })).toContain('mutually exclusive')
  })

  it('follows XDG_DATA_HOME', async () => {
    expect((await readConfig([], { XDG_DATA_HOME: '/data' })).dataDirectory).toBe('/data/quarterdeck')
  })

  it.each([
    [['--secure-prot', '1'], 'unknown flag --secure-prot; did you mean --secure-port?'],
    [['--xyzzy-frobnicate'], 'unknown flag --xyzzy-frobnicate'],
    [['extra'], 'unexpected argument "extra"'],
    [['--secure-port'], '--secure-port needs a value'],
    [['--secure-port', 'abc'], '--secure-port: "abc" is not an integer from 0 to 65535'],
    [['--secure-port=70000'], '--secure-port: "70000" is not an integer from 0 to 65535'],
    [['--bind-address', 'localhost'], '--bind-address: "localhost" is not an IP address'],
    [['--in-memory=maybe'], '--in-memory: "maybe" is not a boolean'],
    [['--request-timeout', '5'], '--request-timeout: "5" is not a duration like 90s or 1m30s'],
    [['--livez-grace-period=-1s'], '--livez-grace-period: "-1s" is not a duration like 90s or 1m30s'],
    [['--tls-cert-file', 'x'], '--tls-cert-file requires --tls-private-key-file'],
    [['--etcd-keyfile', 'x', '--etcd-servers', 'http://a:1'], '--etcd-keyfile requires --etcd-certfile'],
    [['--etcd-cafile', 'x'], '--etcd-cafile requires --etcd-servers'],
    [['--etcd-defrag-free-percent', '50'], '--etcd-defrag-free-percent requires --etcd-servers'],
    [
      ['--etcd-servers', 'http://localhost:1', '--etcd-defrag-free-percent', '100'],
      '--etcd-defrag-free-percent: "100" is not an integer from 0 to 99',
    ],
    [
      ['--etcd-servers', 'localhost:2379'],
      '--etcd-servers: "localhost:2379" is not http://host:port, https://host:port or unix:///path',
    ],
    [['--etcd-servers', ''], '--etcd-servers needs a value'],
    [['--extensions', ''], '--extensions needs a value'],
    [['--encryption-provider-config', ''], '--encryption-provider-config needs a value'],
    [['--audit-policy-file= '], '--audit-policy-file needs a value'],
    [['--client-ca-file='], '--client-ca-file needs a value'],
    [['--extensions='], '--extensions needs a value'],
    [['--etcd-servers', ','], '--etcd-servers needs a value'],
    [['--etcd-prefix', '/'], '--etcd-prefix: "/" is not a path like /registry'],
    [['--in-memory', '--etcd-servers', 'http://a:1'], '--in-memory and --etcd-servers are mutually exclusive'],
    [['--in-memory', '--data-dir', 'x'], '--in-memory and --data-dir are mutually exclusive'],
    [['--in-memory', '--history-retention', '1'], '--history-retention is for the embedded store in a data directory'],
    [['--virtual-clock'], '--virtual-clock requires --dev'],
    [
      ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'],
      '--max-requests-inflight and --max-mutating-requests-inflight: one of them must be above 0 with --enable-priority-and-fairness',
    ],
    [
      ['--authorization-mode', 'RBAC,Magic'],
      '--authorization-mode: "Magic" is not one of Node, RBAC, Webhook, ABAC, AlwaysAllow, AlwaysDeny',
    ],
    [['--authorization-mode', 'RBAC,ABAC'], 'authorization mode ABAC requires --authorization-policy-file'],
    [['--authorization-mode', 'Webhook'], 'authorization mode Webhook requires --authorization-webhook-config-file'],
    [['--authorization-mode', 'RBAC,RBAC'], '--authorization-mode: RBAC is listed twice'],
    [
      ['--service-cluster-ip-range', '10.0.0.0'],
      '--service-cluster-ip-range: "10.0.0.0" is not a range like 10.96.0.0/16',
    ],
    [
      ['--service-account-issuer', 'http://['],
      '--service-account-issuer: "http://[" contains a \':\' but is not a URL',
    ],
    [['--service-account-lookup=false'], '--service-account-lookup: cannot be disabled'],
    [['--service-account-issuer', 'a,a'], '--service-account-issuer: "a" is listed twice'],
    [
      ['--service-account-max-token-expiration', '30m'],
      '--service-account-max-token-expiration: must be between 1 hour and 2^32 seconds',
    ],
    [['--service-account-jwks-uri', 'http://x'], '--service-account-jwks-uri: "http://x" is not an https URL'],
    [['--log-level', 'loud'], '--log-level: "loud" is not one of debug, info, warn, error, silent'],
    [['--cors-allowed-origins', '('], '--cors-allowed-origins: "(" is not a regular expression'],
    [
      ['--strict-transport-security-directives', 'max-age=1,never'],
      '--strict-transport-security-directives: "never" is not one of max-age=SECONDS, includeSubDomains, preload',
    ],
    [['--feature-gates', 'WatchLst=true'], '--feature-gates: unknown feature gate "WatchLst"; did you mean WatchList?'],
    [['--feature-gates', 'WatchList'], '--feature-gates: "WatchList" is not NAME=true or NAME=false'],
    [['--feature-gates', 'HostnameOverride=false'], '--feature-gates: feature gate HostnameOverride is locked to true'],
    [['--config', '/nope/x.yaml'], '--config /nope/x.yaml: cannot be read: it does not exist'],
  ])('%o is refused in one line', async (args, message) => {
    expect(await faultOf(args)).toBe(message)
  })

  it.each([
    ['secure-prot: 1', 'unknown flag secure-prot; did you mean secure-port?'],
    ['secure-port: many', 'secure-port must be integer'],
    ['[1]', 'the file must be object'],
    ['config: x', 'unknown flag config'],
  ])('a file with %s is refused in one line', async (text, message) => {
    const config = file('bad.yaml', text)
    expect(await faultOf(['--config', config])).toContain(`--config ${config}: ${message}`)
  })

  it('names the place of a bad value', async () => {
    expect(await faultOf([], { QUARTERDECK_SECURE_PORT: 'x' })).toContain('QUARTERDECK_SECURE_PORT: "x"')
    expect(await faultOf([], { QUARTERDECK_PORT_SECURE: '1' })).toContain(
      'unknown environment variable QUARTERDECK_PORT_SECURE',
    )
    const config = file('c.yaml', 'bind-address: here')
    expect(await faultOf(['--config', config])).toBe(`bind-address in ${config}: "here" is not an IP address`)
  })
})

describe('feature gates', () => {
  it('have the defaults of the level, and change one by one or by stage', async () => {
    const { featureGates } = await readConfig(
      ['--feature-gates', 'AllAlpha=true, ShardedListAndWatch=false,WatchList=F'],
      {},
    )
    expect(featureGates).toMatchObject({
      CBORServingAndStorage: true,
      ShardedListAndWatch: false,
      WatchList: false,
      ListFromCacheSnapshot: true,
      ConcurrentWatchObjectDecode: true,
    })
  })
})
