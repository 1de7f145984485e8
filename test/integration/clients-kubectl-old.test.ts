// Debian's kubectl 1.20: what people read with it, and the little that they write.
import { beforeAll, describe, expect, it } from 'vitest'
import { findOldKubectl, Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

let binary = ''

beforeAll(async () => {
  binary = await findOldKubectl()
})

describe('kubectl 1.20', () => {
  it('reads what there is', async () => {
    const home = await newHome()
    const server = await startServerProcess(['--in-memory'], home)
    const kubectl = new Kubectl(binary, { kubeconfig: server.kubeconfigFile, home })
    const say = async (command: string): Promise<string> => {
      const result = await kubectl.run(command.split(' '))
      expect([command, result.code, result.stderr]).toEqual([command, 0, expect.any(String)])
      return result.stdout
    }
    expect(await say('version')).toMatch(/GitVersion:"v1\.20[^]*Server Version:[^]*v1\.37\./)
    expect(await say('api-resources --api-group=apps')).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    expect(await say('explain deployment.spec.replicas')).toMatch(/^FIELD: +replicas <integer>$/m)
    expect(await say('create configmap one --from-literal=a=1')).toBe('configmap/one created\n')
    const watch = kubectl.follow('get configmaps -w --field-selector metadata.name=one --no-headers'.split(' '))
    await expect.poll(() => watch.lines.length).toBe(1)
    expect(await say('patch configmap one -p {"data":{"b":"2"}}')).toBe('configmap/one patched\n')
    await expect.poll(() => watch.lines.map((line) => line.split(/ +/)[1])).toEqual(['1', '2'])
    expect(await say('create deployment web --image=nginx:1')).toBe('deployment.apps/web created\n')
    expect(await say('get deployments -o wide')).toMatch(
      /^NAME +READY +[^]*^web +0\/1 +0 +0 +\d+s +nginx +nginx:1 +app=web$/m,
    )
    expect(await say('get configmap one -o yaml')).toMatch(/^data:\n {2}a: "1"\n {2}b: "2"$/m)
    expect(await say('get configmap one -o jsonpath={.data.b}')).toBe('2')
    expect(await say('describe deployment web')).toMatch(/^Replicas: +1 desired/m)
    expect(await say('scale deployment web --replicas=3')).toBe('deployment.apps/web scaled\n')
    expect(await say('delete configmap one')).toBe('configmap "one" deleted\n')
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})
