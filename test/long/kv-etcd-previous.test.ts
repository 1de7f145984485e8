import { describeEtcdContract } from '../contract/etcd-contract.ts'

describeEtcdContract('previous', 10_000)
