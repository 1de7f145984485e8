import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'

describe('columns', () => {
  it('certificates.k8s.io ClusterTrustBundle has these columns', () =>
    expectColumns('certificates.k8s.io ClusterTrustBundle', ['Name : string name', 'SignerName']))

  it.each<CellRow>([['certificates.k8s.io ClusterTrustBundle', 'of a signer', { spec: { signerName: 's' } }, ['s']]])(
    'of %s, %s',
    expectCells,
  )
})
