// `kubectl explain` of a kind that a definition made: the kubectl of our API level reads version 3 of the documents, the old one
// version 2.
import { beforeAll, expect, it } from 'vitest'
import { GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findKubectls, findOldKubectl, Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const kubectls: string[] = []

beforeAll(async () => {
  kubectls.push(...new Set([...(await findKubectls()), await findOldKubectl()]))
}, GO_BUILD_LIMIT_MS)

const text = (description: string): object => ({ type: 'string', description })

/** `v1` has a colour, `v2` has paints. */
function definition(): object {
  const schema = (spec: object): object => ({
    openAPIV3Schema: {
      type: 'object',
      description: 'A widget is something to look at.',
      properties: { spec: { type: 'object', description: 'What it should be.', required: ['size'], properties: spec } },
    },
  })
  const size = { type: 'integer', format: 'int32', description: 'How large it is.' }
  const weight = { 'x-kubernetes-int-or-string': true, description: 'How heavy it is.' }
  const paint = {
    type: 'object',
    description: 'A coat of paint.',
    properties: { colour: text('Its colour.'), layers: { type: 'integer' } },
  }
  const notes = { type: 'object', description: 'Notes.', additionalProperties: { type: 'string' } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.look.example.com' },
    spec: {
      group: 'look.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
      versions: [
        { name: 'v1', served: true, storage: true, schema: schema({ size, colour: text('The colour of old.') }) },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema: schema({ size, weight, paints: { type: 'array', items: paint }, notes }),
        },
      ],
    },
  }
}

it('explains custom kinds, field by field and version by version (P-364, P-517)', async () => {
  const home = await newHome()
  const server = await startServerProcess(['--in-memory'], home)
  for (const [i, binary] of kubectls.entries()) {
    const kubectl = new Kubectl(binary, { kubeconfig: server.kubeconfigFile, home })
    const say = async (command: string, input?: string): Promise<string> => {
      const result = await kubectl.run(command.split(' '), input)
      expect([command, result.code, result.stderr]).toEqual([command, 0, expect.any(String)])
      return result.stdout.replaceAll(/[ \t]+/g, ' ')
    }
    if (i === 0) await say('create -f -', JSON.stringify(definition()))
    await say('wait --for=condition=Established crd/widgets.look.example.com')

    const whole = await say('explain widgets')
    expect(whole).toMatch(/^KIND: Widget$/m)
    expect(whole).toContain('A widget is something to look at.')
    expect(whole).toMatch(/^ ?spec <Object>/m)
    expect(await say('explain wd.spec')).toMatch(/^ ?size <integer> -required-/m)
    expect(await say('explain widget.spec.weight')).toMatch(/How heavy it is\./)
    expect(await say('explain widget.spec.paints.colour')).toMatch(/^ ?FIELD: colour <string>[^]*Its colour\./m)
    expect(await say('explain widget.spec.notes')).toMatch(/map\[string\]string/)
    expect(await say('explain widget.metadata.labels')).toMatch(/map\[string\]string/)
    const all = await say('explain widgets --recursive')
    expect(all).toMatch(/^ ?paints <\[\]Object>\n ?colour <string>\n ?layers <integer>$/m)
    expect(await say('explain widget.spec --api-version=look.example.com/v1')).toMatch(/^ ?colour <string>/m)
    expect(await say('explain widget.spec --api-version=look.example.com/v2')).not.toMatch(/^ ?colour </m)
    const unknown = await kubectl.run(['explain', 'widget.spec.nothing'])
    expect(unknown.code).not.toBe(0)
  }
  expect(await server.stop()).toMatchObject({ code: 0 })
})
