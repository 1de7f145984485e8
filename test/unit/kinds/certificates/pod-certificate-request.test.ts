import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('certificates.k8s.io PodCertificateRequest has these columns', () =>
    expectColumns('certificates.k8s.io PodCertificateRequest', [
      'Name : string name',
      'PodName',
      'ServiceAccountName',
      'NodeName',
      'SignerName',
      'State',
      'UnverifiedUserAnnotations',
    ]))
})
