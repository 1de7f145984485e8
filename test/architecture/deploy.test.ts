// The form of what is deployed: what a cluster needs to stand the loss of any one part, and to trust nobody it need not.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { PROXY_NAME } from '../../src/commands/replica-files.ts'
import { FLAGS } from '../../src/config/flags.ts'
import { WatchMeasures } from '../../src/handlers/watch-measures.ts'
import { consistencyChecks } from '../../src/cache/cache-check.ts'
import { PROCESS_FIGURES } from '../../src/telemetry/process-figures.ts'
import { TurnLedger } from '../../src/http/turn-ledger.ts'
import { storageFamilies } from '../../src/telemetry/storage-metrics.ts'
import { ALLOCATION, YOUNG_HEAP } from '../rigs/command.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

interface Service {
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly hostname?: string
  readonly ports?: readonly string[]
  readonly user?: string
  readonly build?: { readonly args?: readonly string[] }
  readonly volumes?: readonly string[]
  readonly profiles?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
}

const ROOT = path.join(import.meta.dirname, '../..')

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

const { services } = load(read('docker-compose.yml'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  services: Readonly<Record<string, Service>>
}
const THREE: readonly number[] = [1, 2, 3]

/** Makes what `make up` makes before it starts anything. Returns the user of the containers, who owns all that they are shown. */
function certificatesFor(folder: string): readonly number[] {
  const [pki, file] = [path.join(folder, 'pki'), path.join(folder, '.env')]
  execFileSync(process.execPath, [path.join(ROOT, 'deploy/make-certificates.ts'), pki, file])
  const text = readFileSync(file, 'utf8')
  const owner = ['UID', 'GID'].map((name) => Number(new RegExp(`^QUARTERDECK_${name}=(\\d+)$`, 'm').exec(text)?.[1]))
  const shown = readdirSync(path.join(pki, 'for'), { recursive: true }).map((name) =>
    path.join(pki, 'for', String(name)),
  )
  expect(shown.length).toBeGreaterThan(10)
  for (const name of shown) {
    const { uid, gid } = statSync(name)
    expect([name, uid, gid]).toEqual([name, ...owner])
  }
  return owner
}

it.each([
  ['package.json', 'package.json'],
  ['deploy/Dockerfile', 'deploy/image/quarterdeck'],
])('%s asks of the allocator what the tests do, and %s of V8', (environment, start) => {
  for (const [name, value] of Object.entries(ALLOCATION)) expect(read(environment)).toContain(`${name}=${value}`)
  expect(read(start)).toContain(YOUNG_HEAP)
})

it('RELEASES.md tells of this version first, and the README shows it', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(/^## (\d.*)$/m.exec(read('deploy/RELEASES.md'))?.[1]).toBe(version)
  expect(read('README.md')).toContain(`quarterdeck ${version} is listening`)
})

it('alerts.yaml asks for metrics that there are, by labels that they have', () => {
  interface Alerts {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
  }
  const { groups } = load(read('deploy/alerts.yaml')) as Alerts
  const figures = PROCESS_FIGURES.map(({ name, kind, labels }) => ({
    name: kind === 'histogram' ? `${name}_sum` : name,
    labels,
  }))
  const families = [
    ...figures,
    ...new TurnLedger().families,
    { name: 'quarterdeck_thread_queue_requests', labels: [] },
    ...new WatchMeasures().all(),
    ...storageFamilies(() => Promise.resolve(undefined)),
    consistencyChecks(),
    // Of Prometheus itself.
    { name: 'up', labels: ['job'] },
  ]
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    const names = Array.from(
      expr.matchAll(/\b((?:quarterdeck|apiserver|nodejs)_\w+?|up)(?:_bucket)?\b/g),
      ([, name]) => name,
    )
    expect([alert, names.length]).not.toEqual([alert, 0])
    for (const name of names) {
      const family = families.find((one) => one.name === name)
      expect([alert, family?.name]).toEqual([alert, name])
      const asked = Array.from(expr.matchAll(/by \(([^)]*)\)/g), ([, labels = '']) => labels.split(', ')).flat()
      expect(['instance', 'le', ...(family?.labels ?? [])]).toEqual(expect.arrayContaining(asked))
      const chosen = Array.from(expr.matchAll(/\{(\w+)=/g), ([, label]) => label)
      expect(family?.labels).toEqual(expect.arrayContaining(chosen))
    }
  }
})

describe('docker-compose.yml', () => {
  it.each(THREE)('has etcd member %i, which speaks TLS alone, both ways', (i) => {
    const { image, environment = {} } = services[`etcd-${i}`]!
    expect(image).toMatch(/:v\d+\.\d+\.\d+@sha256:/)
    for (const [name, value] of Object.entries(environment)) {
      if (/CLIENT_URLS|PEER_URLS|INITIAL_CLUSTER$/.test(name))
        expect([name, value]).toEqual([name, expect.not.stringContaining('http://')])
    }
    for (const role of ['', 'PEER_']) {
      expect(environment[`ETCD_${role}CLIENT_CERT_AUTH`]).toBe('true')
      for (const file of ['TRUSTED_CA_FILE', 'CERT_FILE', 'KEY_FILE']) {
        expect(environment[`ETCD_${role}${file}`]).toMatch(/^\/pki\//)
      }
    }
    expect(environment['ETCD_INITIAL_CLUSTER']?.split(',')).toHaveLength(3)
  })

  it.each(THREE)('has replica %i, which knows all members and is looked at by /readyz', (i) => {
    const { command = [], healthcheck, hostname, ports, user } = services[`replica-${i}`]!
    for (const member of THREE) expect(command.join(' ')).toContain(`https://etcd-${member}:2379`)
    for (const flag of [
      'etcd-cafile',
      'etcd-certfile',
      'etcd-keyfile',
      'tls-cert-file',
      'tls-private-key-file',
      'requestheader-client-ca-file',
      'proxy-client-cert-file',
      'proxy-client-key-file',
      'peer-ca-file',
      'service-account-signing-key-file',
      'encryption-provider-config',
    ]) {
      expect(command).toContainEqual(expect.stringMatching(`^--${flag}=/pki/`))
    }
    // Any other client of that authority could speak for everybody.
    expect(command).toContain(`--requestheader-allowed-names=${PROXY_NAME}`)
    expect(hostname).toBe(`replica-${i}`)
    expect(healthcheck?.test.join(' ')).toContain('/readyz')
    expect(ports).toBeUndefined()
    expect(user).toBe('${QUARTERDECK_UID:-65532}:${QUARTERDECK_GID:-65532}')
  })

  it('opens one port, that of the balancer, and all others to this machine alone', () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
    expect(open.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual(['balancer'])
    for (const [name, { ports = [] }] of open) {
      expect([name, ports]).toEqual([name, [expect.stringMatching(/^127\.0\.0\.1:\d+:\d+$/)]])
    }
  })

  it.each(Object.entries(services))('%s can write to nothing of its own and has no rights', (name, service) => {
    expect(service.read_only).toBe(true)
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.cap_add ?? []).toEqual(name === 'volumes' ? ['CHOWN', 'DAC_READ_SEARCH'] : [])
    expect(service.security_opt).toEqual(['no-new-privileges'])
    expect(service.user === '0:0').toBe(name === 'volumes')
  })

  it('ends with all that can be added to it', () => {
    const profiles = new Set(Object.values(services).flatMap((service) => service.profiles ?? []))
    const down = execFileSync('make', ['--dry-run', '--no-print-directory', 'down'], { cwd: ROOT, encoding: 'utf8' })
    expect(profiles.size).toBeGreaterThan(0)
    for (const profile of profiles) expect(down).toMatch(new RegExp(`compose .*--profile ${profile} .*down`))
  })

  it.each([
    ['no file', undefined],
    ['a file that names root', 'A=1\nQUARTERDECK_UID=0\nQUARTERDECK_GID=0\nB=2\n'],
    ['a file that names nobody', 'A=1\nB=2'],
  ])('does not run as root, also where root starts it, with %s', async (_, before) => {
    const folder = await tempFolder()
    const file = path.join(folder, '.env')
    if (before !== undefined) writeFileSync(file, before)
    const [uid, gid] = certificatesFor(folder)
    expect([uid, gid]).not.toContain(0)
    const others = readFileSync(file, 'utf8').replaceAll(/^(#|QUARTERDECK_[UG]ID=).*\n/gm, '')
    expect(others).toBe(before === undefined ? '' : 'A=1\nB=2\n')
    expect(certificatesFor(folder)).toEqual([uid, gid])
  })

  it('runs as the user that the file names, who owns the keys', async () => {
    const folder = await tempFolder()
    // Only root can give files to another user.
    const user = process.getuid!() === 0 ? [1234, 4321] : [process.getuid!(), process.getgid!()]
    writeFileSync(path.join(folder, '.env'), `QUARTERDECK_GID=${user[1]}\nQUARTERDECK_UID=${user[0]}\n`)
    expect(certificatesFor(folder)).toEqual(user)
  })

  it('shows each container its own keys, and no other', () => {
    const keys = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
      volumes.filter((one) => one.includes('/pki')).map((one) => [name, one]),
    )
    const replica = './deploy/pki/for/replica:/pki:ro'
    expect(keys).toEqual([
      ...THREE.map((i) => [`etcd-${i}`, `./deploy/pki/for/etcd-${i}:/pki:ro`]),
      ...THREE.map((i) => [`replica-${i}`, replica]),
      ['prometheus', './deploy/pki/for/prometheus:/pki:ro'],
    ])
  })

  it('builds the image once', () => {
    const [built, ...others] = Object.values(services).flatMap(({ build }) => build ?? [])
    expect(others).toEqual([])
    // Taken from .env or the environment; where it is in neither, it is what the Dockerfile says.
    expect(built?.args).toEqual(['NODE_IMAGE'])
  })

  it('takes every image of others by its digest, and another where a variable names one', () => {
    const others = Object.entries(services).filter(([, { image }]) => image !== 'quarterdeck')
    expect(others.length).toBeGreaterThan(0)
    for (const [name, { image }] of others) {
      expect([name, image]).toEqual([
        name,
        expect.stringMatching(/^\$\{[A-Z]+_IMAGE:-[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}\}$/),
      ])
    }
    const readme = read('deploy/production.md')
    for (const [, { image = '' }] of others) expect(readme).toContain(`\`${/\w+_IMAGE/.exec(image)?.[0]}\``)
  })
})

describe('the dashboard', () => {
  interface Panel {
    readonly id: number
    readonly datasource: { readonly type: string; readonly uid: string }
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets: readonly { readonly refId: string; readonly datasource: Panel['datasource'] }[]
  }
  const text = read('deploy/observe/quarterdeck.json')
  const dashboard = JSON.parse(text) as {
    readonly uid: string
    readonly title: string
    readonly templating: {
      readonly list: readonly { readonly name: string; readonly datasource: Panel['datasource'] }[]
    }
    readonly panels: readonly Panel[]
  }
  const { panels, templating } = dashboard
  const { volumes = [], environment = {} } = services['grafana']!
  const mounted = new Map(volumes.map((one) => one.split(':') as [string, string]))

  it('is found by Grafana where its provisioning says, and is the first that is shown', () => {
    const { providers } = load(read('deploy/observe/dashboards.yaml')) as {
      readonly providers: readonly { readonly type: string; readonly options: { readonly path: string } }[]
    }
    const place = mounted.get('./deploy/observe/quarterdeck.json')!
    expect(providers.map(({ type, options }) => [type, options.path])).toEqual([['file', path.posix.dirname(place)]])
    expect(environment['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']).toBe(place)
    for (const kind of ['datasources', 'dashboards']) {
      expect(path.posix.dirname(mounted.get(`./deploy/observe/${kind}.yaml`)!)).toBe(
        `/etc/grafana/provisioning/${kind}`,
      )
    }
    expect([dashboard.uid, dashboard.title]).toEqual([
      expect.stringMatching(/^[\w-]{1,40}$/),
      expect.stringMatching(/./),
    ])
  })

  it('asks the Prometheus that is provisioned, at the address that the compose file gives it', () => {
    const { datasources } = load(read('deploy/observe/datasources.yaml')) as {
      readonly datasources: readonly { readonly uid: string; readonly type: string; readonly url: string }[]
    }
    expect(new Set(datasources.map(({ uid }) => uid)).size).toBe(datasources.length)
    const known = datasources.map(({ type, uid }) => ({ type, uid }))
    const asked = [...templating.list, ...panels, ...panels.flatMap(({ targets }) => targets)]
    for (const { datasource } of asked) expect(known).toContainEqual(datasource)
    for (const { url } of datasources) {
      const { hostname, port } = new URL(url)
      expect(services[hostname]?.ports).toEqual([`127.0.0.1:${port}:${port}`])
    }
  })

  it('has panels that are told apart and do not cover each other, and variables that there are', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { targets } of panels) expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    const used = new Set(Array.from(text.matchAll(/\$(?!__)(\w+)/g), ([, name]) => name))
    expect([...used]).toEqual(templating.list.map(({ name }) => name))
  })
})

describe('the balancer', () => {
  it('sends to every replica that is ready', () => {
    const text = read('deploy/haproxy.cfg')
    expect(text).toContain('httpchk GET /readyz')
    // Without this a replica that is to finish what is under way would be cut off.
    expect(text).toContain('http-check expect status 200 error-status L7OKC')
    for (const i of THREE) expect(text).toContain(`server replica-${i} replica-${i}:6443`)
  })
})

describe('images-made-here', () => {
  /** A docker that has images of these tags; a digest is what a registry has given. */
  async function withImages(digests: Readonly<Record<string, number>>): Promise<string> {
    const folder = await tempFolder()
    const found = Object.entries(digests).map(([tag, count]) => `${tag}) echo ${count} ;;`)
    const script = ['#!/bin/sh', 'case "$5" in', ...found, '*) exit 1 ;;', 'esac', ''].join('\n')
    writeFileSync(path.join(folder, 'docker'), script, { mode: 0o755 })
    return folder
  }
  const run = (folder: string, ...args: string[]): string => {
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
    return execFileSync(path.join(ROOT, 'deploy/images-made-here'), args, { env, encoding: 'utf8' })
  }
  const NODE = /^ARG NODE_IMAGE=([^@]+)@/m.exec(read('deploy/Dockerfile'))![1]!
  const ETCD = /ETCD_IMAGE:-([^@]+)@/.exec(read('docker-compose.yml'))![1]!

  it('are those that no registry has given', async () => {
    expect(run(await withImages({ [NODE]: 0, [ETCD]: 0 }))).toBe(`NODE_IMAGE=${NODE}\nETCD_IMAGE=${ETCD}\n`)
    expect(run(await withImages({ [NODE]: 0, [ETCD]: 1 }))).toBe(`NODE_IMAGE=${NODE}\n`)
    expect(run(await withImages({}))).toBe('')
  })

  it('are added to a file that does not name them', async () => {
    const folder = await withImages({ [NODE]: 0, [ETCD]: 0 })
    const file = path.join(folder, '.env')
    writeFileSync(file, 'ETCD_IMAGE=mine\n')
    run(folder, file)
    run(folder, file)
    expect(readFileSync(file, 'utf8')).toBe(`ETCD_IMAGE=mine\nNODE_IMAGE=${NODE}\n`)
  })
})

describe('the image', () => {
  it('is built in a stage of its own, small, and runs as nobody in particular', () => {
    const lines = read('deploy/Dockerfile').split('\n')
    expect(lines.filter((line) => line.startsWith('FROM '))).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM scratch'])
    expect(lines).toContainEqual(expect.stringMatching(/^ARG NODE_IMAGE=node:\d+-bookworm-slim@sha256:[0-9a-f]{64}$/))
    expect(lines).toContainEqual(expect.stringMatching(/^USER [1-9]\d*:[1-9]\d*$/))
    expect(lines.join('\n')).toMatch(/^HEALTHCHECK .*"quarterdeck", "healthcheck", "\/livez"/m)
  })
})

it('the chart is for the version that this is', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  expect(load(read('deploy/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version })
})

describe('the unit for systemd', () => {
  const unit = read('deploy/quarterdeck.service')

  it('starts the server with flags that there are, and in the environment of npm start', () => {
    const [, flags = ''] = /^ExecStart=\S+ quarterdeck serve (.*)$/m.exec(unit) ?? []
    const names = [...flags.matchAll(/--([a-z-]+)/g)].map(([, name]) => name)
    expect(names).toEqual(['config', 'data-dir', 'management-address'])
    expect(FLAGS.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
    for (const [name, value] of Object.entries(ALLOCATION)) expect(unit).toContain(`${name}=${value}`)
    expect(unit).toContain(`NODE_OPTIONS=${YOUNG_HEAP}`)
  })

  it('gives it nothing of the system but its own folder', () => {
    for (const line of ['ProtectSystem=strict', 'CapabilityBoundingSet=', 'NoNewPrivileges=true', 'UMask=0077']) {
      expect(unit.split('\n')).toContain(line)
    }
  })
})
