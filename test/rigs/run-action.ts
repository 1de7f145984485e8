// An action by itself on the objects of a world, for an action that the test puts together of other parts than the server does.
import type { ApiObject } from '../../src/api/object.ts'
import { runAction } from '../../src/registry/action.ts'
import type { Action, ActionAnswer, ActionContext } from '../../src/registry/registry.ts'
import type { ApiWorld } from './api-world.ts'

export function actIn(
  world: ApiWorld,
  action: Action,
  { body, ...more }: Partial<ActionContext> & { readonly body: object },
): Promise<ActionAnswer> {
  const context = { ...world.context(), parts: world.parts, resources: world.resources, name: '', ...more }
  const { kind, version, group } = action.body
  const apiVersion = group === '' ? version : `${group}/${version}`
  const decoded = { ...action.body.decode(body as never).value, kind, apiVersion } as unknown as ApiObject
  return runAction(action, action.body.withDefaults(decoded, { gates: context.gates, now: () => context.now }), context)
}
