// Rights as people ask for and give them with kubectl: who am I, what may I, and acting for somebody else.
import { beforeAll, expect, it } from 'vitest'
import { GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findKubectls, Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const kubectls: string[] = []

beforeAll(async () => {
  kubectls.push(...(await findKubectls()))
}, GO_BUILD_LIMIT_MS)

it('kubectl tells who one is and what one may do, and gives rights to others (P-133, P-519)', async () => {
  const home = await newHome()
  const server = await startServerProcess(['--in-memory'], home)
  for (const [i, binary] of kubectls.entries()) {
    const kubectl = new Kubectl(binary, { kubeconfig: server.kubeconfigFile, home })
    const run = async (command: string, input?: string): Promise<readonly [number, string]> => {
      const { code, stdout, stderr } = await kubectl.run(command.split(' '), input)
      return [code, `${stdout}${stderr}`]
    }
    const user = `jane-${i}`
    const [, me] = await run('auth whoami')
    expect(me).toMatch(/^ATTRIBUTE +VALUE\nUsername +\S+\n/)
    expect(me).toMatch(/^Groups +\[system:masters system:authenticated\]$/m)
    expect((await run(`auth whoami --as ${user} --as-group dev -o jsonpath={.status.userInfo}`))[1]).toBe(
      JSON.stringify({ groups: ['dev', 'system:authenticated'], username: user }),
    )

    expect(await run('auth can-i create pods')).toEqual([0, 'yes\n'])
    expect(await run(`auth can-i list configmaps --as ${user}`)).toEqual([1, 'no\n'])
    expect(await run(`create role reader-${i} --verb=get,list --resource=configmaps`)).toEqual([
      0,
      `role.rbac.authorization.k8s.io/reader-${i} created\n`,
    ])
    expect((await run(`create rolebinding reader-${i} --role=reader-${i} --user=${user}`))[0]).toBe(0)
    await expect.poll(() => run(`auth can-i list configmaps --as ${user}`)).toEqual([0, 'yes\n'])
    expect(await run(`auth can-i list configmaps --as ${user} -n kube-system`)).toEqual([1, 'no\n'])
    expect((await run(`get configmaps --as ${user} -o name`))[0]).toBe(0)
    expect(await run(`get secrets --as ${user}`)).toEqual([
      1,
      `Error from server (Forbidden): secrets is forbidden: User "${user}" cannot list resource "secrets" in API group "" in the namespace "default"\n`,
    ])

    const [, list] = await run(`auth can-i --list --as ${user}`)
    expect(list).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs\n/)
    expect(list).toMatch(/^configmaps +\[\] +\[\] +\[get list\]$/m)
    expect(list).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m)
    expect(list).toMatch(/^ +\[\/api\/\*\] +\[\] +\[get\]$/m)
    expect((await run('auth can-i --list'))[1]).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m)

    const widened = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: `reader-${i}`, namespace: 'default' },
    }
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
    expect((await run('auth reconcile -f -', JSON.stringify({ ...widened, rules })))[0]).toBe(0)
    await expect.poll(() => run(`auth can-i watch configmaps --as ${user}`)).toEqual([0, 'yes\n'])
    expect(
      (await run(`create clusterrolebinding all-${i} --clusterrole=cluster-admin --user=x --as ${user}`))[1],
    ).toMatch(/cannot create resource "clusterrolebindings"/)
  }
  expect(await server.stop()).toMatchObject({ code: 0 })
})
