// kubectl's commands that write, and what they make of the answers: edit, replace, prune, rollout, wait, each way of deleting.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findKubectlsOfSlice, Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const kubectls: string[] = []

beforeAll(async () => {
  kubectls.push(...(await findKubectlsOfSlice()))
}, GO_BUILD_LIMIT_MS)

interface Session {
  readonly home: string
  /** What a command in the namespace prints that must work; words are separated by blanks. */
  readonly say: (command: string, input?: string) => Promise<string>
  /** What a command that must fail says of it. */
  readonly fail: (command: string, input?: string) => Promise<string>
}

/** The same for each kubectl, in a namespace of its own on a server of its own. */
async function withEach(test: (session: Session) => Promise<void>): Promise<void> {
  for (const binary of kubectls) {
    const home = await newHome()
    const server = await startServerProcess(['--in-memory'], home)
    // An editor that writes one value over another.
    const env = { KUBE_EDITOR: 'sed -i s/before/after/' }
    const kubectl = new Kubectl(binary, { kubeconfig: server.kubeconfigFile, home, env })
    const run = (command: string, input?: string) => kubectl.run(['-n', 'team', ...command.split(' ')], input)
    const say = async (command: string, input?: string): Promise<string> => {
      const { code, stderr, stdout } = await run(command, input)
      expect([command, code, stderr]).toEqual([command, 0, expect.any(String)])
      return stdout
    }
    const fail = async (command: string, input?: string): Promise<string> => {
      const { code, stderr } = await run(command, input)
      expect([command, code]).not.toEqual([command, 0])
      return stderr
    }
    await say('create namespace team')
    await test({ home, say, fail })
    expect(await server.stop()).toMatchObject({ code: 0 })
  }
}

const map = (name: string, data: object, more: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data })

describe('kubectl writes', () => {
  it('by editing and replacing (W-109, P-514, D26)', async () => {
    await withEach(async ({ say, fail }) => {
      expect(await say('create -f -', map('a', { x: 'before' }))).toBe('configmap/a created\n')
      expect(await fail('create -f -', map('a', {}))).toContain('configmaps "a" already exists')
      expect(await say('edit configmap a')).toBe('configmap/a edited\n')
      expect(await say('get configmap a -o jsonpath={.data.x}')).toBe('after')
      expect(await say('edit configmap a')).toBe('')
      expect(await say('replace -f -', map('a', { z: '1' }))).toBe('configmap/a replaced\n')
      expect(await say('get configmap a -o jsonpath={.data}')).toBe('{"z":"1"}')
      // A PUT creates what is not there, unless it names the version of something that was.
      expect(await say('replace -f -', map('none', {}))).toBe('configmap/none replaced\n')
      const gone = map('gone', {}, { resourceVersion: '1' })
      expect(await fail('replace -f -', gone)).toContain('configmaps "gone" not found')
      const stale = map('a', { z: '2' }, { resourceVersion: '1' })
      expect(await fail('replace -f -', stale)).toContain('the object has been modified')
      expect(await say('replace --force -f -', map('a', { z: '3' }))).toContain('configmap/a replaced')
      expect(await say('get configmap a -o jsonpath={.data.z}')).toBe('3')
    })
  })

  it('labels and notes, and takes them away', async () => {
    await withEach(async ({ say, fail }) => {
      await say('create -f -', map('a', {}))
      expect(await say('label configmap a tier=front')).toBe('configmap/a labeled\n')
      expect(await fail('label configmap a tier=back')).toContain("'tier' already has a value (front)")
      expect(await say('label configmap a tier=back --overwrite')).toBe('configmap/a labeled\n')
      expect(await say('label configmaps --all zone=z')).toContain('configmap/a labeled\n')
      expect(await say('label configmap a tier-')).toMatch(/^configmap\/a (un)?labeled\n$/)
      expect(await say('get configmap a -o jsonpath={.metadata.labels}')).toBe('{"zone":"z"}')
      await say('annotate configmap a note=x')
      expect(await say('get configmap a -o jsonpath={.metadata.annotations.note}')).toBe('x')
      await say('annotate configmap a note-')
      expect(await say('get configmap a -o jsonpath={.metadata.annotations.note}')).toBe('')
      expect(await fail('label configmap a bad=not_valid!')).toContain('a valid label must be')
    })
  })

  it('applies a folder and prunes what is no longer in it', async () => {
    await withEach(async ({ home, say }) => {
      const folder = path.join(home, 'set')
      mkdirSync(folder, { recursive: true })
      const put = (name: string): void =>
        writeFileSync(path.join(folder, `${name}.json`), map(name, { x: '1' }, { labels: { set: 'one' } }))
      put('a')
      put('b')
      expect(await say(`apply -f ${folder}`)).toBe('configmap/a created\nconfigmap/b created\n')
      await say('create -f -', map('other', {}, { labels: { set: 'one' } }))
      rmSync(path.join(folder, 'a.json'))
      const prune = `apply -f ${folder} --prune -l set=one --prune-allowlist=core/v1/ConfigMap`
      expect(await say(prune)).toMatch(/^configmap\/b unchanged\nconfigmap\/a pruned\n$/m)
      // What was not applied is not pruned.
      expect(await say('get configmaps -l set=one -o name')).toBe('configmap/b\nconfigmap/other\n')
      expect(await say(`apply view-last-applied configmap b -o json`)).toContain('"x": "1"')
      expect(await say(`apply --server-side -f ${folder}`)).toBe('configmap/b serverside-applied\n')
      const managers = 'get configmap b --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}'
      expect(await say(managers)).toContain('kubectl')
    })
  })

  it('rolls out, and tells how far it is (P-520, P-521)', async () => {
    await withEach(async ({ say, fail }) => {
      await say('create deployment web --image=nginx:1 --replicas=2')
      expect(await fail('rollout status deployment/web --timeout=1s')).toContain('timed out')
      const status = (generation: number): string =>
        `patch deployment web --subresource=status --type=merge -p {"status":{"observedGeneration":${generation},"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2}}`
      expect(await say(status(1))).toBe('deployment.apps/web patched\n')
      expect(await say('rollout status deployment/web --timeout=5s')).toContain('successfully rolled out')
      expect(await say('set image deployment/web nginx=nginx:2')).toBe('deployment.apps/web image updated\n')
      expect(await say('get deployment web -o jsonpath={.metadata.generation}')).toBe('2')
      expect(await say('set env deployment/web A=1')).toBe('deployment.apps/web env updated\n')
      expect(await say('set resources deployment web --limits=cpu=200m')).toContain('resource requirements updated')
      expect(await say('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n')
      expect(await say('rollout pause deployment/web')).toBe('deployment.apps/web paused\n')
      expect(await say('rollout resume deployment/web')).toBe('deployment.apps/web resumed\n')
      expect(await say('get deployment web -o jsonpath={.metadata.generation}')).toBe('7')
      expect(await say('scale deployment web --replicas=5')).toBe('deployment.apps/web scaled\n')
      expect(await fail('scale deployment web --replicas=6 --current-replicas=9')).toContain(
        'Expected replicas to be 9',
      )
      expect(await say('autoscale deployment web --min=1 --max=3')).toContain('autoscaled')
      expect(await say('get hpa web -o jsonpath={.spec.maxReplicas}')).toBe('3')
    })
  })

  it('waits for what comes and what goes (P-516)', async () => {
    await withEach(async ({ say, fail }) => {
      await say('create -f -', map('a', { x: '1' }))
      expect(await say('wait --for=jsonpath={.data.x}=1 configmap/a --timeout=10s')).toContain('condition met')
      expect(await fail('wait --for=delete configmap/a --timeout=1s')).toContain('timed out')
      const waiting = say('wait --for=delete configmap/a --timeout=30s')
      await say('delete configmap a --wait=false')
      await waiting
      await say('create deployment web --image=nginx:1')
      const available = say('wait --for=condition=Available deployment/web --timeout=30s')
      const conditions = '[{"type":"Available","status":"True"}]'
      await say(`patch deployment web --subresource=status --type=merge -p {"status":{"conditions":${conditions}}}`)
      expect(await available).toContain('condition met')
    })
  })

  it('deletes with what belongs to it, before it, or without it (P-515)', async () => {
    await withEach(async ({ say }) => {
      for (const cascade of ['background', 'foreground', 'orphan']) {
        await say('create -f -', map('owner', {}))
        const uid = await say('get configmap owner -o jsonpath={.metadata.uid}')
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }]
        await say('create -f -', map('child', {}, { ownerReferences }))
        expect(await say(`delete configmap owner --cascade=${cascade}`)).toMatch(/^configmap "owner" deleted/)
        if (cascade === 'orphan') {
          expect(await say('get configmap child -o jsonpath={.metadata.ownerReferences}')).toBe('')
          await say('delete configmap child')
        } else {
          await say('wait --for=delete configmap/child --timeout=30s')
        }
        expect(await say('get configmap owner --ignore-not-found')).toBe('')
      }
      await say('run idle --image=pause')
      expect(await say('delete pod idle --grace-period=0 --force')).toContain('pod "idle" force deleted')
      await say('create -f -', map('a', {}, { labels: { set: 'x' } }))
      await say('create -f -', map('b', {}, { labels: { set: 'x' } }))
      expect(await say('delete configmaps -l set=x')).toMatch(/^configmap "a" deleted[^]*configmap "b" deleted/)
    })
  })
})
