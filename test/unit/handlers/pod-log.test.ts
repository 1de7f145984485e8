import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const PODS = '/api/v1/namespaces/ns/pods'
const TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
const BAD_TIME = 'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
  for (const [name, ...containers] of [
    ['one', 'a'],
    ['two', 'a', 'b'],
  ]) {
    const body = { metadata: { name }, spec: { containers: containers.map((one) => ({ name: one, image: 'i' })) } }
    await api.send({ method: 'POST', path: PODS, body })
  }
})

const rows: readonly (readonly [
  place: string,
  accept: string | undefined,
  status: number,
  message: string | undefined,
])[] = [
  ['one/log', undefined, 204, undefined],
  ['one/log', 'application/json', 204, undefined],
  ['one/log', 'text/plain, */*', 204, undefined],
  ['one/log', 'text/plain', 406, `only the following media types are accepted: ${TYPES}`],
  ['one/log', 'text/html', 406, `406: Not Acceptable\n\nAvailable representations: text/plain, ${TYPES}`],
  ['one/log?tailLines=0&limitBytes=1&sinceSeconds=1', undefined, 204, undefined],
  ['one/log?sinceTime=2030-01-02T03:04:05Z', undefined, 204, undefined],
  ['one/log?sinceTime=foo', undefined, 400, BAD_TIME],
  ['one/log?tailLines=x', undefined, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['one/log?tailLines=', undefined, 400, 'strconv.ParseInt: parsing "": invalid syntax'],
  ['one/log?sinceTime=foo&tailLines=x', undefined, 400, BAD_TIME],
  [
    'one/log?limitBytes=9223372036854775808',
    undefined,
    400,
    'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  ],
  [
    'nope/log?tailLines=-1',
    undefined,
    422,
    'PodLogOptions "nope" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  ],
  ['nope/log', undefined, 404, 'pods "nope" not found'],
  ['two/log', undefined, 400, 'a container name must be specified for pod two, choose one of: [a b]'],
  ['two/log?container=c', undefined, 400, 'container c is not valid for pod two'],
]

describe('the log of a pod that has no node (R-266, P-406 to P-408, P-410)', () => {
  it.each(rows)('%s, accepting %s', async (place, accept, status, message) => {
    const answer = await api.send({
      method: 'GET',
      path: `${PODS}/${place}`,
      ...(accept === undefined ? {} : { accept }),
    })
    expect(answer.status).toBe(status)
    expect(answer.body['message']).toBe(message)
  })
})
