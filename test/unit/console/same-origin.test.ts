import { expect, it } from 'vitest'
import { isSameOrigin } from '../../../src/console/same-origin.ts'
import { fakeRequest } from '../http/fake-request.ts'

const OWN = 'https://127.0.0.1:6443'

it.each([
  ['reads without a word', 'GET', {}, true],
  ['reads from its own page', 'GET', { 'sec-fetch-site': 'same-origin' }, true],
  ['reads from another site', 'GET', { 'sec-fetch-site': 'cross-site' }, false],
  ['reads from another port of this host', 'GET', { 'sec-fetch-site': 'same-site' }, false],
  ['writes without a word', 'POST', {}, false],
  ['writes from its own page', 'POST', { 'sec-fetch-site': 'same-origin', origin: OWN }, true],
  ['writes from an old browser', 'DELETE', { origin: OWN }, true],
  ['writes from another origin', 'POST', { origin: 'https://127.0.0.1:7443' }, false],
  ['writes over plain HTTP', 'POST', { origin: 'http://127.0.0.1:6443' }, false],
  ['writes from a file', 'POST', { origin: 'null' }, false],
  [
    'writes with an origin that is not that of the browser',
    'POST',
    { 'sec-fetch-site': 'cross-site', origin: OWN },
    false,
  ],
  ['writes by a link that was typed', 'POST', { 'sec-fetch-site': 'none' }, false],
])('a request that %s', (_title, method, headers, expected) => {
  expect(isSameOrigin(fakeRequest(`${method} /x`, { headers }))).toBe(expected)
})

it('a WebSocket has to say where it comes from', () => {
  expect(isSameOrigin(fakeRequest('GET /x', { transport: 'websocket' }))).toBe(false)
  expect(isSameOrigin(fakeRequest('GET /x', { transport: 'websocket', headers: { origin: OWN } }))).toBe(true)
})
