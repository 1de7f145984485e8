// kubectl against the server as people run both: the commands of every day, and what they print. The kubectl of our API level
// is built for it; the one that the machine has is tried too.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { utf8String } from '../../src/pki/der-writer.ts'
import { certificateRequest, COMMON_NAME, ORGANIZATION } from '../corpora/certificate-request.ts'
import { GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findKubectlsOfSlice, Kubectl, type KubectlResult } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const kubectls: string[] = []

beforeAll(async () => {
  kubectls.push(...(await findKubectlsOfSlice()))
}, GO_BUILD_LIMIT_MS)

interface Session {
  readonly kubectl: Kubectl
  readonly home: string
  /** What a command prints that must work. */
  readonly say: (command: string, input?: string) => Promise<string>
}

/** One server, and the same commands for each kubectl in a namespace of its own. */
async function withEach(test: (session: Session, namespace: string) => Promise<void>): Promise<void> {
  const home = await newHome()
  const server = await startServerProcess(['--in-memory'], home)
  for (const [i, binary] of kubectls.entries()) {
    const kubectl = new Kubectl(binary, { kubeconfig: server.kubeconfigFile, home })
    const say = async (command: string, input?: string): Promise<string> => {
      const result = await kubectl.run(command.split(' '), input)
      expect([command, result.code, result.stderr]).toEqual([command, 0, expect.any(String)])
      return result.stdout
    }
    expect(await say(`create namespace team-${i}`)).toBe(`namespace/team-${i} created\n`)
    await test({ kubectl, home, say }, `team-${i}`)
  }
  expect(await server.stop()).toMatchObject({ code: 0 })
}

function cells(table: string): readonly (readonly string[])[] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
}

const deployment = 'create deployment web --image=nginx:1 --replicas=2'

describe('kubectl', () => {
  it('finds out what there is (P-510, P-517, P-518)', async () => {
    await withEach(async ({ say }, namespace) => {
      expect(await say('version')).toMatch(/^Server Version: .*v1\.37\.\d+/m)
      expect(await say('api-resources --namespaced=true -o name')).toMatch(/^configmaps$[^]*^deployments\.apps$/m)
      const resources = cells(await say('api-resources --api-group=apps'))
      expect(resources[0]).toEqual(['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'])
      expect(resources).toContainEqual(['deployments', 'deploy', 'apps/v1', 'true', 'Deployment'])
      expect(await say('api-versions')).toMatch(/^apps\/v1$[^]*^v1$/m)
      expect(await say('explain deployment.spec.replicas')).toMatch(/^FIELD: +replicas <integer>$/m)
      expect(await say('explain configmap')).toMatch(/^ +data\t<map\[string\]string>$/m)
      expect(await say('explain pods --recursive')).toMatch(/^ +imagePullPolicy\t<string>$/m)
      const namespaces = cells(await say('get namespaces'))
      expect(namespaces[0]).toEqual(['NAME', 'STATUS', 'AGE'])
      expect(namespaces.map(([name]) => name)).toEqual(expect.arrayContaining(['default', 'kube-system', namespace]))
      expect(await say(`describe namespace ${namespace}`)).toMatch(/^Status: +Active$/m)
    })
  })

  it('makes tokens, and approves certificates', async () => {
    const request = certificateRequest([
      [COMMON_NAME, utf8String('jane')],
      [ORGANIZATION, utf8String('dev')],
    ])
    await withEach(async ({ kubectl, say }, namespace) => {
      expect(await say(`-n ${namespace} create serviceaccount robot`)).toContain('created')
      const token = (await say(`-n ${namespace} create token robot --duration=20m`)).trim()
      const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
        exp: number
        iat: number
      }
      expect(claims.exp - claims.iat).toBe(1200)
      const user = `system:serviceaccount:${namespace}:robot`
      expect(await say(`--token=${token} auth whoami -o jsonpath={.status.userInfo.username}`)).toBe(user)
      expect((await kubectl.run([`--token=${token}`, 'get', 'secrets'])).stderr).toContain(`User "${user}" cannot list`)
      await say(`-n ${namespace} delete serviceaccount robot`)
      expect((await kubectl.run([`--token=${token}`, 'get', 'secrets'])).stderr).toContain('Unauthorized')

      const spec = {
        request: Buffer.from(request).toString('base64'),
        signerName: 'example.com/own',
        usages: ['client auth'],
      }
      const csr = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: namespace },
        spec,
      }
      await say('create -f -', JSON.stringify(csr))
      expect(cells(await say(`get csr ${namespace}`))[1]).toEqual([
        namespace,
        expect.any(String),
        'example.com/own',
        'admin',
        '<none>',
        'Pending',
      ])
      expect(await say(`certificate approve ${namespace}`)).toContain('approved')
      expect(await say(`get csr ${namespace} -o jsonpath={.status.conditions[0].type}`)).toBe('Approved')
      expect((await kubectl.run(['certificate', 'deny', namespace])).code).not.toBe(0)
    })
  })

  it('makes, shows, changes and removes (P-510, P-514, P-515, P-521)', async () => {
    await withEach(async ({ kubectl, say: sayAnywhere }, namespace) => {
      const say = (command: string, input?: string): Promise<string> => sayAnywhere(`-n ${namespace} ${command}`, input)
      expect(await say('create configmap one --from-literal=a=1')).toBe('configmap/one created\n')
      expect(await say(deployment)).toBe('deployment.apps/web created\n')
      const [heads, row] = cells(await say('get deployments -o wide'))
      expect(heads).toEqual(['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'])
      expect(row?.toSpliced(4, 1)).toEqual(['web', '0/2', '0', '0', 'nginx', 'nginx:1', 'app=web'])
      expect(await say('get configmap one -o yaml')).toMatch(
        new RegExp(`^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\nmetadata:\n[^]* namespace: ${namespace}\n`),
      )
      expect(await say('get deployment web -o jsonpath={.spec.template.spec.containers[*].image}')).toBe('nginx:1')
      expect(await say('get configmaps,deployments -o name')).toMatch(/^configmap\/one\n[^]*deployment\.apps\/web\n$/m)
      expect(await say('describe configmap one')).toMatch(/^Data\n====\na:\n----\n1\n/m)
      expect(await say('describe deployment web')).toMatch(
        /^Replicas: +2 desired \| 0 updated \| 0 total \| 0 available \| 0 unavailable$/m,
      )
      expect(await say('label configmap one tier=front')).toBe('configmap/one labeled\n')
      expect(await say('annotate configmap one note=x')).toMatch(/^configmap\/one annotated?\n$/)
      expect(await say('get configmaps -l tier=front -o name')).toBe('configmap/one\n')
      expect(await say('get configmaps --field-selector metadata.name=one -o name')).toBe('configmap/one\n')
      for (const type of ['merge', 'strategic']) {
        expect(await say(`patch configmap one --type=${type} -p {"data":{"${type}":"2"}}`)).toBe(
          'configmap/one patched\n',
        )
      }
      expect(
        await say('patch deployment web --type=json -p [{"op":"replace","path":"/spec/replicas","value":5}]'),
      ).toBe('deployment.apps/web patched\n')
      expect(await say('get deployment web -o jsonpath={.spec.replicas}')).toBe('5')
      expect(await say('scale deployment web --replicas=3')).toBe('deployment.apps/web scaled\n')
      expect(await say('set image deployment/web nginx=nginx:2')).toBe('deployment.apps/web image updated\n')
      expect(await say('expose deployment web --port=80')).toBe('service/web exposed\n')
      expect(await say('delete configmap one')).toMatch(/^configmap "one" deleted/)
      expect(await kubectl.run(['-n', namespace, 'get', 'configmap', 'one'])).toEqual<KubectlResult>({
        code: 1,
        stdout: '',
        stderr: 'Error from server (NotFound): configmaps "one" not found\n',
      })
      expect(await say('delete deployment web')).toMatch(/^deployment\.apps "web" deleted/)
      expect(await say(`delete namespace ${namespace}`)).toMatch(/^namespace "[\w-]+" deleted\n$/)
    })
  })

  it('applies files, and tells what would change (P-511, P-512, P-523)', async () => {
    await withEach(async ({ kubectl, say, home }, namespace) => {
      const file = path.join(home, `${namespace}.yaml`)
      const write = (value: string): void =>
        writeFileSync(
          file,
          `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: two\n  namespace: ${namespace}\ndata:\n  x: "${value}"\n`,
        )
      write('1')
      expect(await say(`apply -f ${file}`)).toBe('configmap/two created\n')
      expect(await say(`apply -f ${file}`)).toBe('configmap/two unchanged\n')
      expect(await kubectl.run(['diff', '-f', file])).toEqual<KubectlResult>({ code: 0, stdout: '', stderr: '' })
      write('2')
      const difference = await kubectl.run(['diff', '-f', file])
      expect(difference.code).toBe(1)
      expect(difference.stdout).toMatch(/^- {2}x: "1"\n\+ {2}x: "2"$/m)
      expect(await say(`apply -f ${file}`)).toBe('configmap/two configured\n')
      write('3')
      expect(await say(`apply --server-side --dry-run=server -f ${file}`)).toBe(
        'configmap/two serverside-applied (server dry run)\n',
      )
      expect(await say(`apply --server-side -f ${file}`)).toBe('configmap/two serverside-applied\n')
      expect(await say(`-n ${namespace} get configmap two -o jsonpath={.data.x}`)).toBe('3')
      write('4')
      const conflict = await kubectl.run(['apply', '--server-side', '--field-manager=other', '-f', file])
      expect(conflict.code).toBe(1)
      expect(conflict.stderr).toMatch(/Apply failed with 1 conflict: conflict with "kubectl"[^:]*: \.data\.x/)
      expect(await say(`apply --server-side --field-manager=other --force-conflicts -f ${file}`)).toBe(
        'configmap/two serverside-applied\n',
      )
      expect(await say(`delete -f ${file}`)).toMatch(/^configmap "two" deleted/)
    })
  })

  it('shows changes as they come (P-510)', async () => {
    await withEach(async ({ kubectl, say: sayAnywhere }, namespace) => {
      const say = (command: string): Promise<string> => sayAnywhere(`-n ${namespace} ${command}`)
      await say('create configmap one --from-literal=a=1')
      const events = '--output-watch-events --no-headers'
      const watch = kubectl.follow(`-n ${namespace} get configmaps -w -l app!=none ${events}`.split(' '))
      const seen = (): readonly string[] =>
        watch.lines.flatMap((line) => {
          const [type, name, data] = line.split(/ +/)
          return name === 'kube-root-ca.crt' ? [] : [`${type} ${name} ${data}`]
        })
      const sees = (lines: readonly string[]): Promise<void> => expect.poll(seen).toEqual(lines)
      await sees(['ADDED one 1'])
      await say('patch configmap one -p {"data":{"b":"2"}}')
      await say('create configmap two')
      await say('label configmap two app=none')
      await say('delete configmap one')
      await sees(['ADDED one 1', 'MODIFIED one 2', 'ADDED two 0', 'DELETED two 0', 'DELETED one 2'])
      await watch.stop()
    })
  })
})
