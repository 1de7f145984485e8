// What is shipped to be deployed, against the rows of the hardening list about etcd, authorities, audit and roles.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { openServer } from '../rigs/running-server.ts'

const ROOT = path.join(import.meta.dirname, '../..')

interface Service {
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly privileged?: boolean
  readonly volumes?: readonly string[]
}

interface Rule {
  readonly level: string
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[]
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

const { services } = load(read('docker-compose.yml'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  readonly services: Readonly<Record<string, Service>>
}
const THREE: readonly number[] = [1, 2, 3]

describe('CIS 2.1 to 2.7: etcd', () => {
  it.each(THREE)('member %i knows its clients and its peers by certificates, and makes up none', (i) => {
    const { environment = {} } = services[`etcd-${i}`]!
    for (const name of ['CERT_FILE', 'KEY_FILE', 'PEER_CERT_FILE', 'PEER_KEY_FILE']) {
      expect([name, environment[`ETCD_${name}`]]).toEqual([name, expect.stringMatching(/^\/pki\//)])
    }
    expect(environment['ETCD_CLIENT_CERT_AUTH']).toBe('true')
    expect(environment['ETCD_PEER_CLIENT_CERT_AUTH']).toBe('true')
    expect(environment['ETCD_AUTO_TLS'] ?? 'false').toBe('false')
    expect(environment['ETCD_PEER_AUTO_TLS'] ?? 'false').toBe('false')
  })

  it('has an authority of its own, which vouches for nobody else', () => {
    const { environment = {} } = services['etcd-1']!
    const serving = services['replica-1']!.command ?? []
    expect(environment['ETCD_TRUSTED_CA_FILE']).toBe('/pki/etcd-ca.crt')
    expect(serving.find((flag) => flag.startsWith('--client-ca-file'))).not.toBe('--client-ca-file=/pki/etcd-ca.crt')
  })
})

describe('CIS 1.2.2, 1.2.6, 1.2.16, 1.2.23, 1.2.26: the replicas', () => {
  it.each(THREE)('replica %i decides by roles, speaks TLS to etcd and writes down who did what', (i) => {
    const { command = [], privileged } = services[`replica-${i}`]!
    const text = command.join(' ')
    expect(text).not.toMatch(
      /disable-admission-plugins|admission-control=|AlwaysAllow|AlwaysAdmit|--in-memory|--egress-allow|--token-auth-file|--dev|http:\/\/etcd/,
    )
    for (const flag of ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'tls-cert-file', 'tls-private-key-file']) {
      expect(text).toContain(`--${flag}=/pki/`)
    }
    expect(text).toContain('--audit-policy-file=')
    expect(text).toContain('--audit-log-path=')
    expect(privileged).toBeUndefined()
  })
})

describe('CIS 3.2.1 and 3.2.2: the audit policy', () => {
  const policy = load(read('deploy/audit-policy.yaml')) as { readonly kind: string; readonly rules: readonly Rule[] }

  it('tells of secrets and tokens that they were asked for, and never what they are', () => {
    const about = (group: string, resource: string): Rule | undefined =>
      policy.rules.find(
        ({ resources }) =>
          resources?.some((each) => each.group === group && (each.resources?.includes(resource) ?? true)) === true,
      )
    expect(about('', 'secrets')?.level).toBe('Metadata')
    expect(about('', 'serviceaccounts/token')?.level).toBe('Metadata')
    expect(about('authentication.k8s.io', 'tokenreviews')?.level).toBe('Metadata')
    expect(policy.rules.at(-1)).toEqual({ level: 'Metadata' })
  })

  it('is one that the server takes', async () => {
    await using server = await openServer(['--audit-policy-file', path.join(ROOT, 'deploy/audit-policy.yaml')])
    expect((await server.request('/api/v1/namespaces/default/secrets')).status).toBe(200)
  })
})
