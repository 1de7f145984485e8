// The chart in deploy/chart, by helm itself: what it makes of its values, and the files that its pods would find.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { loadAll } from 'js-yaml'
import { type KeyPair, makeAuthority, makeSigned } from '../../src/pki/certificate-maker.ts'
import { buildGoProgram } from './go-program.ts'

const run = promisify(execFile)
export const CHART = path.join(import.meta.dirname, '../../deploy/chart')
const HELM = { name: 'helm', module: 'helm.sh/helm/v4', folder: '/cmd/helm', version: '4.3.1' }

/** As `--set` takes them. */
export type ChartValues = Readonly<Record<string, string>>

export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly serviceName?: string
    readonly clusterIP?: string
    readonly template?: { readonly spec: PodSpec }
    readonly volumeClaimTemplates?: readonly unknown[]
    readonly ingress?: readonly NetworkRule[]
    readonly egress?: readonly NetworkRule[]
  }
}

interface NetworkRule {
  readonly ports: readonly unknown[]
  readonly from?: readonly unknown[]
  readonly to?: readonly unknown[]
}

interface PodSpec {
  readonly containers: readonly [{ readonly args: readonly string[]; readonly volumeMounts: readonly Mount[] }]
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[]
}

interface Mount {
  readonly name: string
  readonly mountPath: string
}

/** The path of helm, built where it is not there yet. */
export function findHelm(): Promise<string> {
  return buildGoProgram('helm', HELM)
}

/** The release `sea` in the namespace `ships`. */
export async function renderChart(values: ChartValues): Promise<readonly Manifest[]> {
  const sets = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const { stdout } = await run(await findHelm(), ['template', 'sea', CHART, '--namespace', 'ships', ...sets])
  return (loadAll(stdout) as readonly (Manifest | null)[]).filter((each) => each !== null)
}

export function named(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name)
  if (found === undefined) throw new Error(`the chart makes no ${kind} ${name}`)
  return found
}

export function podOf(manifests: readonly Manifest[]): PodSpec {
  const pod = manifests.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment')?.spec?.template?.spec
  if (pod === undefined) throw new Error('the chart makes no pods')
  return pod
}

/** The names of the secrets that its pods see. */
export function secretsSeen(manifests: readonly Manifest[]): readonly string[] {
  return podOf(manifests).volumes.flatMap(({ secret }) => secret?.secretName ?? [])
}

export function secretText(manifests: readonly Manifest[], name: string, key: string): string {
  return Buffer.from(named(manifests, 'Secret', name).data?.[key] ?? '', 'base64').toString()
}

/** The secrets that are mounted as files below `home`, and the flags of `serve` with their places there. */
export function podFlags(manifests: readonly Manifest[], home: string): readonly string[] {
  const { containers, volumes } = podOf(manifests)
  for (const { name, mountPath } of containers[0].volumeMounts) {
    const secretName = volumes.find((each) => each.name === name)?.secret?.secretName
    if (secretName === undefined) continue
    mkdirSync(path.join(home, mountPath), { recursive: true })
    for (const [file, content] of Object.entries(named(manifests, 'Secret', secretName).data ?? {})) {
      writeFileSync(path.join(home, mountPath, file), Buffer.from(content, 'base64'), { mode: 0o600 })
    }
  }
  const [command = '', ...flags] = containers[0].args.map((each) => each.replace('=/pki/', `=${home}/pki/`))
  if (command !== 'serve') throw new Error(`the chart runs ${command}`)
  return flags
}

interface Asked {
  readonly isCA?: boolean
  readonly secretName: string
  readonly commonName?: string
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly usages: readonly string[]
  readonly issuerRef: { readonly kind: string; readonly name: string }
}

const DAY_MS = 86_400_000

/** With the secrets that cert-manager would make of the certificates that are asked for. Issuers that the chart does not make sign as well. */
export function withIssued(manifests: readonly Manifest[]): readonly Manifest[] {
  const asked = manifests.filter(({ kind }) => kind === 'Certificate').map(({ spec }) => spec as unknown as Asked)
  const authorities = new Map<string, KeyPair>()
  /** By the secret with its key, or by its name where it is not of the chart. */
  const authorityOf = (place: string): KeyPair => {
    const known = authorities.get(place) ?? makeAuthority(DAY_MS)
    authorities.set(place, known)
    return known
  }
  const secrets = asked.map((one): Manifest => {
    const issuer = one.issuerRef.kind === 'Issuer' ? named(manifests, 'Issuer', one.issuerRef.name) : undefined
    const { ca, selfSigned } = (issuer?.spec ?? {}) as { ca?: { secretName: string }; selfSigned?: object }
    if (one.isCA === true && selfSigned !== undefined) return secretOf(one, authorityOf(one.secretName))
    const by = authorityOf(ca?.secretName ?? one.issuerRef.name)
    return secretOf(one, makeSigned(by, subjectOf(one), DAY_MS), by)
  })
  return [...manifests, ...secrets]
}

function subjectOf({
  commonName = '',
  dnsNames = [],
  ipAddresses = [],
  usages,
}: Asked): Parameters<typeof makeSigned>[1] {
  const names = { dns: dnsNames, addresses: ipAddresses }
  const known = { 'server auth': 'server', 'client auth': 'client' } as const
  return { commonName, names, usages: usages.map((usage) => known[usage as keyof typeof known]) }
}

function secretOf({ secretName: name }: Asked, { certificate, key }: KeyPair, by?: KeyPair): Manifest {
  const inBase64 = (text: string): string => Buffer.from(text).toString('base64')
  const data = { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': by?.certificate ?? certificate }
  const encoded = Object.fromEntries(Object.entries(data).map(([file, text]) => [file, inBase64(text)]))
  return { kind: 'Secret', metadata: { name }, data: encoded }
}
