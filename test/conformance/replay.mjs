#!/usr/bin/env node
// Replays request scenarios against a server and compares every answer with a recorded one.
//
//   replay.mjs verify --server https://127.0.0.1:6443 --token T [--ca ca.crt | --insecure] [--only TEXT] [--dir DIR] [--verbose]
//   replay.mjs record --server ...   writes the answers down beside the scenarios; see recordings.mjs
//   replay.mjs list
//
// `--level 1.36` is the level of the API that the server has; absent: the newest.
// `--ours`: the answers are those of this server, where decisions except some. `--except TEXT` leaves scenarios out. `--differing` leaves out
// scenarios that all levels answer alike.
//
// `--raw FILE` writes down every answer as it came, and makes what a run chooses itself the same in every run: for comparing two runs.
//
// A scenario is a module `<name>.scenario.mjs` with `export default { title, async run(t) {} }`.
// Every call on `t` adds one step; a recording is the list of the steps' normalised answers.
// Exit status: 0 where every step agrees, 1 where one differs, 2 where it could not run.
import { readdir, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import http from 'node:http'
import https from 'node:https'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { hash, randomBytes } from 'node:crypto'
import { differingScenarios, LEVELS, recordedSteps, writeSteps } from './recordings.mjs'
import { pause } from './scenarios/lib.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    ca: { type: 'string' },
    cert: { type: 'string' },
    key: { type: 'string' },
    insecure: { type: 'boolean', default: false },
    only: { type: 'string' },
    dir: { type: 'string', default: path.join(here, 'scenarios') },
    verbose: { type: 'boolean', default: false },
    timeout: { type: 'string', default: '30000' },
    json: { type: 'string' },
    raw: { type: 'string' },
    level: { type: 'string', default: LEVELS.at(-1) },
    ours: { type: 'boolean', default: false },
    except: { type: 'string' },
    differing: { type: 'boolean', default: false },
  },
})

// ---------------------------------------------------------------- transport

class Client {
  constructor(base, options) {
    this.base = new URL(base)
    this.lib = this.base.protocol === 'https:' ? https : http
    this.agent = new this.lib.Agent({ keepAlive: true, maxSockets: 64, ...options.tls })
    this.token = options.token
    this.timeout = options.timeout
  }

  open(method, target, { headers = {}, body, token } = {}) {
    const bearer = token === undefined ? this.token : token
    const all = { accept: 'application/json', ...lower(headers) }
    for (const [name, value] of Object.entries(all)) if (value === null) delete all[name]
    if (bearer && !('authorization' in all)) all.authorization = `Bearer ${bearer}`
    let payload
    if (body !== undefined) {
      payload = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
      if (!('content-type' in all)) all['content-type'] = 'application/json'
      all['content-length'] = payload.length
    }
    return new Promise((resolve, reject) => {
      const request = this.lib.request(
        { host: this.base.hostname, port: this.base.port, method, path: target, headers: all, agent: this.agent },
        (response) => resolve({ request, response }),
      )
      request.on('error', reject)
      request.setTimeout(this.timeout, () => request.destroy(new Error(`no answer in ${this.timeout} ms`)))
      request.end(payload)
    })
  }

  async call(method, target, options) {
    const { response } = await this.open(method, target, options)
    // A watch is over when its time is.
    const [, seconds] = /[?&]timeoutSeconds=(\d+)/.exec(target) ?? []
    if (process.send !== undefined && seconds !== undefined) await pause(Number(seconds) * 1000)
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    let raw = Buffer.concat(chunks)
    if (response.headers['content-encoding'] === 'gzip') raw = gunzipSync(raw)
    return {
      status: response.statusCode,
      headers: response.headers,
      raw,
      body: parseBody(raw, response.headers['content-type']),
    }
  }
}

const lower = (headers) => Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toLowerCase(), v]))

function parseBody(raw, type = '') {
  if (raw.length === 0) return null
  if (type.includes('json') || (type.startsWith('text/plain') && raw[0] === 0x7b)) {
    try {
      return JSON.parse(raw.toString('utf8'))
    } catch {
      return raw.toString('utf8')
    }
  }
  if (/protobuf|cbor/.test(type)) return { '<binary>': raw.subarray(0, 4).toString('hex') }
  return raw.toString('utf8')
}

// ------------------------------------------------------------ normalisation

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const RUN_SPECIFIC = [
  [/Invalid value: "\{(?:[^"\\]|\\.)*\}"/g, 'Invalid value: "<object>"'],
  [/eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g, '<token>'],
  [/ResourceVersion in object meta: \d+/g, 'ResourceVersion in object meta: <rv>'],
  [/RBAC: allowed by (?:Cluster)?RoleBinding .*/g, 'RBAC: allowed by <binding>'],
]
const KEPT_HEADERS = ['content-type', 'content-encoding', 'warning', 'cache-control', 'vary', 'allow', 'location']

/** The reference names several faults in the order of a hash map: both the causes and their list in the message are sorted. */
function orderedCauses(status) {
  const causes = [...status.details.causes].sort((a, b) => compare(told(a), told(b)))
  const list = status.details.causes.map(told).join(', ')
  const message = status.message?.includes(`[${list}]`)
    ? status.message.replace(`[${list}]`, () => `[${causes.map(told).join(', ')}]`)
    : status.message
  return { ...status, message, details: { ...status.details, causes } }
}

/** The reference's order of the owners of fields; who has no time counts as if it had written in 1970. */
function byOwner(secondsOf) {
  return (a, b) =>
    compare(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
}

const secondOfWrite = ({ time }) => (time ? Math.floor(Date.parse(time) / 1000) : 0)
const areOwners = (key, value) =>
  key === 'managedFields' && Array.isArray(value) && value.every((one) => one?.operation)

/** Where owners of fields do not stand in the order of the times that they bear. */
function ownersOutOfOrder(node, at = '', found = []) {
  if (!node || typeof node !== 'object') return found
  for (const [key, value] of Object.entries(node)) {
    if (!areOwners(key, value)) ownersOutOfOrder(value, `${at}/${key}`, found)
    else if (value.toSorted(byOwner(secondOfWrite)).some((owner, i) => owner !== value[i])) found.push(`${at}/${key}`)
  }
  return found
}

const told = ({ field, message }) => (field ? `${field}: ${message}` : (message ?? ''))
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const compareBytes = (a = '', b = '') => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Replaces what legitimately differs between two runs by a placeholder. */
class Normaliser {
  constructor(namespace) {
    this.namespace = namespace
    this.uids = new Map()
    this.generated = []
    this.masks = new Map()
    this.began = Date.now()
  }

  text(value) {
    let out = value
    for (const [secret, name] of this.masks) out = out.replaceAll(secret, name)
    out = out.replaceAll(this.namespace, '<ns>')
    out = out.replace(UUID, (uid) => {
      if (!this.uids.has(uid)) this.uids.set(uid, `<uid:${this.uids.size + 1}>`)
      return this.uids.get(uid)
    })
    out = out.replace(TIME, '<time>')
    for (const [pattern, name] of RUN_SPECIFIC) out = out.replace(pattern, name)
    for (const prefix of this.generated) {
      out = out.replace(
        new RegExp(`${prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[a-z0-9]{5}\\b`, 'g'),
        `${prefix}<gen>`,
      )
    }
    return out
  }

  value(node, key = '') {
    // As if all owners had written in the same second: whether they did is left to chance.
    if (areOwners(key, node)) node = node.toSorted(byOwner(() => 0))
    if (key === 'cells' && Array.isArray(node)) return node.map((cell) => this.value(this.cell(cell)))
    if (Array.isArray(node)) return node.map((item) => this.value(item))
    if (node && typeof node === 'object') {
      if (typeof node.generateName === 'string' && !this.generated.includes(node.generateName))
        this.generated.push(node.generateName)
      if (node.kind === 'Status' && node.details?.causes?.length > 1) node = orderedCauses(node)
      const kept = Object.entries(node).filter(([k, v]) => !(k === 'continue' && v === ''))
      return Object.fromEntries(kept.map(([k, v]) => [this.text(k), this.value(v, k)]))
    }
    if (typeof node === 'string') {
      if (key === 'resourceVersion' && node !== '' && node !== '0') return '<rv>'
      if (key === 'continue' && node !== '') return '<continue>'
      if (key === 'uid' && node !== '' && !node.match(UUID)) return this.text(node)
      return this.text(node)
    }
    return node
  }

  /** An object that a scenario made is as old as it happens to be when it is asked for, and no older than the scenario. */
  cell(cell) {
    const [, seconds] = (typeof cell === 'string' && /^(\d+)s$/.exec(cell)) || []
    return seconds !== undefined && seconds <= (Date.now() - this.began) / 1000 + 1 ? '0s' : cell
  }

  headers(headers) {
    const kept = {}
    for (const name of KEPT_HEADERS) if (headers[name] !== undefined) kept[name] = this.value(headers[name])
    if (headers['retry-after'] !== undefined) kept['retry-after'] = '<seconds>'
    return kept
  }
}

// ------------------------------------------------------------ the scenario's hand

class Run {
  constructor(client, title) {
    this.client = client
    this.ns = `replay-${flags.raw ? hash('sha256', title).slice(0, 8) : randomBytes(4).toString('hex')}`
    this.steps = []
    this.raw = []
    this.cleanups = []
    this.normaliser = new Normaliser(this.ns)
    this.title = title
  }

  /** Masks a run-specific string (a port, a generated host) wherever it is shown. */
  mask(secret, name) {
    this.normaliser.masks.set(String(secret), name)
  }

  async request(method, target, options = {}) {
    const answer = await this.client.call(method, target, options)
    this.raw.push([method, target, answer.status, answer.headers, answer.raw.toString('latin1')])
    const step = {
      step: `${method} ${this.normaliser.text(target)}`,
      status: answer.status,
      headers: this.normaliser.headers(answer.headers),
    }
    if (options.label) step.label = options.label
    this.lookAtOwners(step, answer.body)
    let body = answer.body
    if (options.pick) body = options.pick(body)
    if (options.body_ignored !== true) step.body = this.normaliser.value(body)
    this.steps.push(step)
    return answer
  }

  /** In the answer as it came; what a scenario picks of it may be in another order. */
  lookAtOwners(step, body) {
    const found = ownersOutOfOrder(body)
    if (found.length > 0) step.ownersOutOfOrder = found
  }

  get(target, options) {
    return this.request('GET', target, options)
  }
  post(target, body, options = {}) {
    return this.request('POST', target, { ...options, body })
  }
  put(target, body, options = {}) {
    return this.request('PUT', target, { ...options, body })
  }
  delete(target, body, options = {}) {
    return this.request('DELETE', target, { ...options, body })
  }
  patch(target, body, type, options = {}) {
    return this.request('PATCH', target, { ...options, body, headers: { 'content-type': type, ...options.headers } })
  }

  /** A request that is not compared: set-up and polling. */
  quiet(method, target, options = {}) {
    return this.client.call(method, target, options)
  }

  /** Records the truth of a statement that plain bodies cannot show (an order, a count). */
  check(label, value) {
    this.steps.push({ step: `check ${label}`, value: this.normaliser.value(value) })
  }

  /** Makes this scenario's own namespace, removed at the end. */
  async namespace(labels) {
    const made = await this.quiet('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.ns, ...(labels && { labels }) } },
    })
    if (made.status >= 300) throw new Error(`namespace: ${made.status} ${made.raw.toString().slice(0, 300)}`)
    this.cleanup('DELETE', `/api/v1/namespaces/${this.ns}`)
    return this.ns
  }

  cleanup(method, target, options) {
    this.cleanups.push([method, target, options])
  }

  /** Polls until `done(answer)` holds; the last answer is returned and nothing is recorded. */
  async until(target, done, ms = 10_000) {
    const end = Date.now() + ms
    for (;;) {
      const answer = await this.quiet('GET', target)
      if (done(answer)) return answer
      if (Date.now() > end) throw new Error(`gave up waiting on ${target}: last status ${answer.status}`)
      await pause(100)
    }
  }

  /** Opens a watch. `events(n, ms)` takes up to n events (a bookmark counts only where asked for) and records them. */
  async watch(target, options = {}) {
    const { request, response } = await this.client.open('GET', target, options)
    this.steps.push({
      step: `watch ${this.normaliser.text(target)}`,
      status: response.statusCode,
      headers: this.normaliser.headers(response.headers),
    })
    const queue = []
    let wake = () => {}
    let ended = false
    let rest = ''
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      rest += chunk
      for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
        const line = rest.slice(0, at).trim()
        rest = rest.slice(at + 1)
        if (line) queue.push(JSON.parse(line))
      }
      wake()
    })
    response.on('close', () => {
      if (rest.trim())
        try {
          queue.push(JSON.parse(rest))
        } catch {}
      ended = true
      wake()
    })
    const next = async (ms) => {
      const end = Date.now() + ms
      while (queue.length === 0) {
        const left = end - Date.now()
        if (ended || left <= 0) return undefined
        await new Promise((resolve) => {
          wake = resolve
          setTimeout(resolve, left)
        })
      }
      return queue.shift()
    }
    return {
      status: response.statusCode,
      next,
      events: async (count, { ms = 5000, bookmarks = false, pick = (event) => event } = {}) => {
        const taken = []
        const end = Date.now() + ms
        while (taken.length < count) {
          const event = await next(Math.max(0, end - Date.now()))
          if (!event) break
          if (event.type === 'BOOKMARK' && !bookmarks) continue
          taken.push(event)
        }
        const step = { step: `events ${this.normaliser.text(target)}`, events: this.normaliser.value(taken.map(pick)) }
        this.lookAtOwners(step, taken)
        this.raw.push(['WATCH', target, taken])
        this.steps.push(step)
        return taken
      },
      ended: async (ms = 5000) => {
        const end = Date.now() + ms
        while (!ended && Date.now() < end) {
          if (process.send !== undefined) await pause(50)
          await next(50)
        }
        return ended
      },
      close: () => request.destroy(),
    }
  }

  async finish() {
    for (const [method, target, options] of this.cleanups.reverse()) {
      try {
        await this.quiet(method, target, options)
      } catch {}
    }
  }
}

// ------------------------------------------------------------ comparison

function differences(expected, actual, at = '') {
  if (Object.is(expected, actual)) return []
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const out = []
    if (expected.length !== actual.length)
      out.push(`${at || '/'}: ${expected.length} items expected, ${actual.length} came`)
    for (let i = 0; i < Math.min(expected.length, actual.length); i++)
      out.push(...differences(expected[i], actual[i], `${at}/${i}`))
    return out
  }
  const isObject = (v) => v && typeof v === 'object' && !Array.isArray(v)
  if (isObject(expected) && isObject(actual)) {
    const out = []
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (!(key in actual)) out.push(`${at}/${key}: missing, expected ${brief(expected[key])}`)
      else if (!(key in expected)) out.push(`${at}/${key}: not expected, came ${brief(actual[key])}`)
      else out.push(...differences(expected[key], actual[key], `${at}/${key}`))
    }
    return out
  }
  return [`${at || '/'}: expected ${brief(expected)}, came ${brief(actual)}`]
}

/** The reference answers some bad input with a 500 (a webhook out of reach is not one of those); a 4xx Status in its place is better, not different. */
function improved(expected, actual) {
  const clientsFault = expected.status === 500 && !/webhook/.test(expected.body?.message ?? '')
  return clientsFault && actual.status >= 400 && actual.status < 500 && actual.body?.kind === 'Status'
}

const brief = (value) => {
  const text = JSON.stringify(value)
  return text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text
}

// ------------------------------------------------------------ main

async function scenarios(dir) {
  const found = []
  const differing = flags.differing ? await differingScenarios(dir) : undefined
  for (const entry of await readdir(dir, { recursive: true })) {
    if (
      entry.endsWith('.scenario.mjs') &&
      (!flags.only || entry.includes(flags.only)) &&
      !(flags.except && entry.includes(flags.except)) &&
      (differing?.has(entry.replace('.scenario.mjs', '')) ?? true)
    )
      found.push(path.join(dir, entry))
  }
  return found.sort()
}

async function main() {
  const [mode = 'verify'] = positionals
  const files = await scenarios(path.resolve(flags.dir))
  if (mode === 'list') {
    for (const file of files) console.log(path.relative(flags.dir, file))
    return 0
  }
  if (files.length === 0) {
    console.error(`no scenario in ${flags.dir}`)
    return 2
  }
  if (!flags.server || !['verify', 'record'].includes(mode)) {
    console.error(
      'usage: replay.mjs verify|record|list --server URL [--token T] [--ca FILE | --insecure] [--only TEXT] [--dir DIR]',
    )
    return 2
  }
  const client = new Client(flags.server, {
    token: flags.token,
    timeout: Number(flags.timeout),
    tls: {
      ...(flags.ca && { ca: readFileSync(flags.ca) }),
      ...(flags.cert && { cert: readFileSync(flags.cert), key: readFileSync(flags.key) }),
      ...(flags.insecure && { rejectUnauthorized: false }),
    },
  })
  let passed = 0
  let failed = 0
  const report = []
  const raw = {}
  for (const file of files) {
    const name = path.relative(path.resolve(flags.dir), file).replace(/\.scenario\.mjs$/, '')
    const { default: scenario } = await import(pathToFileURL(file))
    const run = new Run(client, name)
    let broke
    try {
      await scenario.run(run)
    } catch (error) {
      broke = error
    }
    await run.finish()
    raw[name] = run.raw
    run.steps = JSON.parse(JSON.stringify(run.steps)) // as a recording would hold them: no undefined values
    if (mode === 'record') {
      if (broke) {
        console.log(`BROKE ${name}: ${broke.stack}`)
        failed++
        continue
      }
      await writeSteps(path.resolve(flags.dir), name, flags.level, run.steps)
      console.log(`recorded ${name}: ${run.steps.length} steps`)
      passed += run.steps.length
      continue
    }
    const expected = await recordedSteps(path.resolve(flags.dir), name, { level: flags.level, isOurs: flags.ours })
    const wrong = []
    for (let i = 0; i < Math.max(expected.length, run.steps.length); i++) {
      if (i >= run.steps.length) {
        wrong.push({ step: expected[i].step, diffs: [broke ? `not reached: ${broke.message}` : 'not reached'] })
        continue
      }
      if (i >= expected.length) break
      const diffs = improved(expected[i], run.steps[i]) ? [] : differences(expected[i], run.steps[i])
      if (diffs.length === 0) passed++
      else wrong.push({ step: run.steps[i].step, diffs })
    }
    failed += wrong.length
    report.push({ name, steps: expected.length, wrong: wrong.length })
    if (wrong.length === 0) console.log(`ok   ${name} (${expected.length} steps)`)
    else {
      console.log(`FAIL ${name} (${wrong.length} of ${expected.length} steps differ)`)
      for (const { step, diffs } of wrong) {
        console.log(`     ${step}`)
        for (const diff of diffs.slice(0, flags.verbose ? 1000 : 6)) console.log(`       ${diff}`)
        if (!flags.verbose && diffs.length > 6) console.log(`       (+${diffs.length - 6} more; --verbose shows them)`)
      }
    }
  }
  if (flags.raw) await writeFile(flags.raw, JSON.stringify(raw))
  if (flags.json) await writeFile(flags.json, JSON.stringify(report, null, 1))
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main()
if (process.send !== undefined) process.disconnect()
