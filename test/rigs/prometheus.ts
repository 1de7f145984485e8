// Prometheus and promtool of the version that docker-compose.yml names, built once from their Go module without the ways to discover targets
// that nobody needs here. Its configuration and rules are those that are deployed.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { load } from 'js-yaml'
import { runProgram } from './child-program.ts'
import { COMPOSE_SERVICES } from './compose-stack.ts'
import { freePort } from './free-port.ts'
import { buildGoProgram } from './go-program.ts'
import { tempFolder } from './temp-folder.ts'

const run = promisify(execFile)

const DEPLOY = path.join(import.meta.dirname, '../../deploy')
export const CONFIGURATION = path.join(DEPLOY, 'observe/prometheus.yml')
export const ALERTS = path.join(DEPLOY, 'alerts.yaml')

/** Throws what Go says where it cannot be built. */
export function buildPrometheus(name: 'prometheus' | 'promtool'): Promise<string> {
  const module = 'github.com/prometheus/prometheus'
  return buildGoProgram('prometheus', { name, module, folder: `/cmd/${name}`, version: moduleVersion(), tags: TAGS })
}

const TAGS = 'remove_all_sd'

/** The module of version 3.13.4 is 0.313.4. */
function moduleVersion(): string {
  const [, minor = '', patch] = /prometheus:v3\.(\d+)\.(\d+)@/.exec(COMPOSE_SERVICES['prometheus']?.image ?? '') ?? []
  if (patch === undefined) throw new Error('docker-compose.yml does not say which Prometheus it runs')
  return `0.${300 + Number(minor)}.${patch}`
}

/** What promtool prints; throws what it says where it finds a fault. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(await buildPrometheus('promtool'), [...args])
  return stdout
}

interface Configuration {
  readonly global: object
  readonly rule_files: readonly string[]
  readonly scrape_configs: readonly { readonly job_name: string; readonly tls_config?: object }[]
}

/** What is scraped in the place of the containers: `host:port`, by job. */
export type Targets = Readonly<Record<string, readonly string[]>>

/** The file of a configuration that differs from the deployed one in its addresses, in where its files are, and in its pace. */
export async function configurationFor(targets: Targets, pki: string): Promise<string> {
  const text = readFileSync(CONFIGURATION, 'utf8')
    .replaceAll('/pki/', `${pki}/for/prometheus/`)
    .replaceAll('/etc/prometheus/', `${DEPLOY}/`)
  const configuration = load(text) as Configuration
  const scraped = configuration.scrape_configs.map((job) => {
    const there = targets[job.job_name]
    if (there === undefined) throw new Error(`nothing is there for the job ${job.job_name}`)
    return { ...job, static_configs: [{ targets: there }] }
  })
  const file = path.join(await tempFolder(), 'prometheus.yml')
  const global = { scrape_interval: '1s', evaluation_interval: '1s' }
  // JSON is YAML too.
  await writeFile(file, JSON.stringify({ ...configuration, global, scrape_configs: scraped }))
  return file
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

interface Answer<T> {
  readonly status: string
  readonly data: T
  readonly error?: string
  readonly warnings?: readonly string[]
  readonly infos?: readonly string[]
}

export class Prometheus {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Of its API. Throws where it fails, or has something to say about it. */
  async get<T>(place: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${place}?${new URLSearchParams(parameters).toString()}`)
    const { status, data, error, warnings = [], infos = [] } = (await response.json()) as Answer<T>
    const said = [...(error === undefined ? [] : [error]), ...warnings, ...infos]
    if (status !== 'success' || said.length > 0) {
      throw new Error(`${place} ${JSON.stringify(parameters)}: ${said.join('; ')}`)
    }
    return data
  }

  async query(query: string): Promise<readonly Sample[]> {
    return (await this.get<{ readonly result: readonly Sample[] }>('query', { query })).result
  }
}

/** Ends with the test. */
export async function startPrometheus(configuration: string): Promise<Prometheus> {
  const binary = await buildPrometheus('prometheus')
  const address = `127.0.0.1:${await freePort()}`
  const program = runProgram(binary, [
    `--config.file=${configuration}`,
    `--storage.tsdb.path=${await tempFolder()}`,
    `--web.listen-address=${address}`,
  ])
  const url = `http://${address}`
  await program.until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true)
  return new Prometheus(url)
}
