import { describe, expect, it } from 'vitest'
import type { User } from '../../../src/api/user.ts'
import { type Access, type Authorizer, allowAll } from '../../../src/auth/authorizer.ts'
import { type Impersonation, Impersonator } from '../../../src/auth/impersonation.ts'
import { accountOf, nodeOf } from '../../../src/auth/user.ts'

const { signal } = new AbortController()

function user(name: string, more: Partial<User> = {}): User {
  return { name, uid: undefined, groups: [], extra: {}, ...more }
}

function listPods(requester: User): Access {
  return {
    kind: 'resource',
    user: requester,
    verb: 'list',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: undefined,
    namespace: 'ns',
    name: undefined,
  }
}

/** `impersonate authentication.k8s.io/users bob`, `impersonate /serviceaccounts ns/robot` */
function told(access: Access): string {
  if (access.kind === 'path') return `${access.verb} ${access.path}`
  const { verb, group, resource, subresource, namespace, name } = access
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  return `${verb} ${group}/${what} ${[namespace, name].filter((part) => part !== undefined).join('/')}`.trim()
}

/** Allows just these questions. */
function allowing(...rights: readonly string[]): Authorizer {
  return {
    authorize: (access) => (rights.includes(told(access)) ? { kind: 'allow' } : { kind: 'no-opinion' }),
  }
}

async function outcome(rights: readonly string[], wanted: User, requester = user('boss')): Promise<string> {
  const result = await new Impersonator(allowing(...rights), true).impersonate(wanted, listPods(requester), signal)
  return shown(result)
}

function shown(result: Impersonation): string {
  if (result.kind === 'refused')
    return `refused: ${told(result.access)}${result.reason === undefined ? '' : `: ${result.reason}`}`
  return `${result.constraint ?? 'wide'}: ${result.user.name} [${result.user.groups.join(' ')}]`
}

describe('acting for somebody else (P-086 to P-088)', () => {
  it.each<[string, string[], User, string]>([
    ['takes the wide right on the user', ['impersonate /users bob'], user('bob'), 'wide: bob [system:authenticated]'],
    [
      'takes it on every group',
      ['impersonate /users bob', 'impersonate /groups a'],
      user('bob', { groups: ['a', 'b'] }),
      'refused: impersonate-on:user-info:list /pods ns',
    ],
    [
      'takes two narrow rights',
      ['impersonate-on:user-info:list /pods ns', 'impersonate:user-info authentication.k8s.io/users bob'],
      user('bob'),
      'impersonate:user-info: bob [system:authenticated]',
    ],
    [
      'names the second where only it is missing',
      ['impersonate-on:user-info:list /pods ns'],
      user('bob'),
      'refused: impersonate:user-info authentication.k8s.io/users bob',
    ],
    [
      'of an account takes a right on the account',
      ['impersonate /serviceaccounts ns/bot'],
      user('system:serviceaccount:ns:bot'),
      'wide: system:serviceaccount:ns:bot [system:serviceaccounts system:serviceaccounts:ns system:authenticated]',
    ],
    [
      'of an account without rights tells of its mode',
      [],
      user('system:serviceaccount:ns:bot'),
      'refused: impersonate-on:serviceaccount:list /pods ns',
    ],
    [
      'of a node without rights tells of its mode',
      [],
      user('system:node:n1'),
      'refused: impersonate-on:arbitrary-node:list /pods ns',
    ],
    [
      'of a node narrowly puts it among the nodes',
      ['impersonate-on:arbitrary-node:list /pods ns', 'impersonate:arbitrary-node authentication.k8s.io/nodes n1'],
      user('system:node:n1'),
      'impersonate:arbitrary-node: system:node:n1 [system:nodes system:authenticated]',
    ],
    [
      'takes rights on uid and extra too',
      [
        'impersonate /users bob',
        'impersonate authentication.k8s.io/uids 7',
        'impersonate authentication.k8s.io/userextras/scopes a',
      ],
      user('bob', { uid: '7', extra: { scopes: ['a'] } }),
      'wide: bob [system:authenticated]',
    ],
    [
      'as a stranger makes one a stranger',
      ['impersonate /users system:anonymous'],
      user('system:anonymous'),
      'wide: system:anonymous [system:unauthenticated]',
    ],
    [
      'may ask to be unknown',
      ['impersonate /users bob', 'impersonate /groups system:unauthenticated'],
      user('bob', { groups: ['system:unauthenticated'] }),
      'wide: bob [system:unauthenticated]',
    ],
  ])('%s', async (_, rights, wanted, expected) => {
    expect(await outcome(rights, wanted)).toBe(expected)
  })

  it('narrowly never makes an administrator, widely it can', async () => {
    const impersonator = new Impersonator(allowAll(), true)
    const masters = user('bob', { groups: ['system:masters'] })
    const result = await impersonator.impersonate(masters, listPods(user('boss')), signal)
    expect(shown(result)).toBe('wide: bob [system:masters system:authenticated]')
    const narrow = ['impersonate-on:user-info:list /pods ns', 'impersonate:user-info authentication.k8s.io/users bob']
    expect(await outcome(narrow, masters)).toBe(
      'refused: impersonate:user-info authentication.k8s.io/groups system:masters: impersonating the system:masters group is not allowed',
    )
  })

  describe('with many groups, narrowly', () => {
    const bob = ['impersonate-on:user-info:list /pods ns', 'impersonate:user-info authentication.k8s.io/users bob']
    const onGroup = (name: string): string => `impersonate:user-info authentication.k8s.io/groups ${name}`
    const groups = ['a', 'b', 'c', 'd']
    const good = 'impersonate:user-info: bob [a b c d system:authenticated]'

    it.each([
      ['takes the right on all at once', [onGroup('*')], good],
      ['or on each', groups.map(onGroup), good],
      ['is refused where one is missing', groups.slice(0, 3).map(onGroup), `refused: ${onGroup('d')}`],
      ['is refused where all are', [], `refused: ${onGroup('a')}`],
    ])('%s', async (_, rights, expected) => {
      expect(await outcome([...bob, ...rights], user('bob', { groups }))).toBe(expected)
    })
  })

  it('lets an account act for the node that it runs on, whichever that is', async () => {
    const rights = [
      'impersonate-on:associated-node:list /pods ns',
      'impersonate:associated-node authentication.k8s.io/nodes *',
    ]
    const agent = user('system:serviceaccount:ns:agent', {
      extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
    })
    expect(await outcome(rights, user('system:node:n1'), agent)).toBe(
      'impersonate:associated-node: system:node:n1 [system:nodes system:authenticated]',
    )
    expect(await outcome(rights, user('system:node:n2'), agent)).toMatch(/^refused: impersonate-on:arbitrary-node/)
  })

  it('tells of the mode that was good before', async () => {
    const impersonator = new Impersonator(allowing('impersonate /users bob'), true)
    await impersonator.impersonate(user('bob'), listPods(user('boss')), signal)
    expect(shown(await impersonator.impersonate(user('eve'), listPods(user('boss')), signal))).toBe(
      'refused: impersonate /users eve',
    )
    expect(shown(await impersonator.impersonate(user('eve'), listPods(user('other')), signal))).toMatch(/user-info/)
  })

  it('knows only the wide right where the narrow ones are switched off', async () => {
    const impersonator = new Impersonator(allowing(), false)
    expect(shown(await impersonator.impersonate(user('bob'), listPods(user('boss')), signal))).toBe(
      'refused: impersonate /users bob',
    )
  })
})

describe('names of nodes and accounts', () => {
  it.each([
    ['system:node:n1', 'n1'],
    ['system:node:', undefined],
    ['system:node:N_1', undefined],
    ['n1', undefined],
  ])('%s is the node %s', (name, node) => {
    expect(nodeOf(name)).toBe(node)
  })

  it.each([
    ['system:serviceaccount:ns:bot', { namespace: 'ns', name: 'bot' }],
    ['system:serviceaccount:not-complete', undefined],
    ['system:serviceaccount:ns:bot:more', undefined],
    ['system:serviceaccount::bot', undefined],
  ])('%s is the account %o', (name, account) => {
    expect(accountOf(name)).toEqual(account)
  })
})
