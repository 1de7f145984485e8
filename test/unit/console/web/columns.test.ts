import { expect, it } from 'vitest'
import { type ColumnChoice, shownColumns } from '../../../../src/console/web/columns.ts'

const PODS = ['Name', 'Ready', 'Status', 'Restarts', 'Age', '+IP']
const MAPS = ['Name', 'Data', 'Age']
const SERVICES = ['Name', 'Type', 'Cluster-IP', 'Ports', 'Age', '+Selector']

it.each<[string, readonly string[], ColumnChoice, boolean, string]>([
  ['those of the server', PODS, {}, false, 'Name Ready Status Restarts Age'],
  ['those of the user', PODS, { IP: true, Ready: false, Name: false }, false, 'Name Status Restarts Age IP'],
  ['the state on a narrow screen', PODS, {}, true, 'Name Status Ready Age'],
  ['those of the user on a narrow screen', PODS, { Age: false, Restarts: true }, true, 'Name Status Ready Restarts'],
  ['all that fit', MAPS, {}, true, 'Name Data Age'],
  ['two where there is no state', SERVICES, {}, true, 'Name Type Cluster-IP Age'],
])('the shown columns are %s', (_title, names, choice, isNarrow, wanted) => {
  const columns = names.map((name) => ({
    name: name.replace('+', ''),
    type: 'string',
    priority: name.startsWith('+') ? 1 : 0,
  }))
  const shown = shownColumns(columns, choice, isNarrow).map((i) => columns[i]?.name)
  expect(shown.join(' ')).toBe(wanted)
})
