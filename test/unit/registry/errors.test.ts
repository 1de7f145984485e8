import { expect, it } from 'vitest'
import { statusOf } from '../../../src/api/status.ts'
import { alreadyExistsError, forbiddenError, notFoundError } from '../../../src/registry/errors.ts'

const pods = { group: '', resource: 'pods' }
const deployments = { group: 'apps', resource: 'deployments' }

it('errors name the object and its resource, and the group where there is one', () => {
  expect(statusOf(notFoundError(pods, 'p'))).toMatchObject({
    code: 404,
    message: 'pods "p" not found',
    details: { name: 'p', kind: 'pods' },
  })
  expect(statusOf(alreadyExistsError(deployments, 'd'))).toMatchObject({
    code: 409,
    message: 'deployments.apps "d" already exists',
    details: { name: 'd', group: 'apps', kind: 'deployments' },
  })
})

it('details leave out a name that is not known, and the core group', () => {
  expect(statusOf(forbiddenError(pods, '', 'no')).details).toStrictEqual({ kind: 'pods' })
})
