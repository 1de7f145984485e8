// The messages of etcd's Maintenance service in `proto/etcd/rpc.proto`, read and written as those of `messages.ts`.
import type { ProtobufReader } from '../../wire/protobuf-reader.ts'
import { type Answer, delimited, type Header, type Method, method, NO_HEADER, number, readAnswer } from './messages.ts'

/** A member is known by any number of 64 bits. */
export type MemberId = number | bigint

export interface StatusResponse extends Answer {
  readonly header: Header & { readonly memberId: MemberId }
  readonly version: string
  readonly dbSize: number
  /** 0: the member knows of none. */
  readonly leader: MemberId
  readonly errors: readonly string[]
  readonly dbSizeInUse: number
  readonly isLearner: boolean
  /** 0: this version does not tell. */
  readonly dbSizeQuota: number
}

export const STATUS: Method<object, StatusResponse> = method('Maintenance/Status', {
  write: () => undefined,
  read: readStatus,
})

/** Resolves when it is done, until when the member answers nobody. */
export const DEFRAGMENT: Method<object, Answer> = method('Maintenance/Defragment', {
  write: () => undefined,
  read: readAnswer,
})

export const ALARM_GET = 0
export const ALARM_DEACTIVATE = 2
export const ALARM_NO_SPACE = 1

export interface AlarmRequest {
  readonly action: typeof ALARM_GET | typeof ALARM_DEACTIVATE
  /** 0: of all. */
  readonly memberId: MemberId
  readonly alarm: number
}

export interface AlarmMember {
  readonly memberId: MemberId
  readonly alarm: number
}

export interface AlarmResponse extends Answer {
  readonly header: StatusResponse['header']
  readonly alarms: readonly AlarmMember[]
}

export const ALARM: Method<AlarmRequest, AlarmResponse> = method('Maintenance/Alarm', {
  write: (writer, { action, memberId, alarm }) => {
    writer.number(3, alarm)
    writer.integer(2, memberId)
    writer.number(1, action)
  },
  read: (reader) => {
    let header: StatusResponse['header'] = { ...NO_HEADER, memberId: 0 }
    const alarms: AlarmMember[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      if (tag === delimited(1)) header = reader.message(readMemberHeader)
      else if (tag === delimited(2)) alarms.push(reader.message(readAlarm))
      else reader.skip(tag)
    }
    return { header, alarms }
  },
})

function readStatus(reader: ProtobufReader): StatusResponse {
  let header: StatusResponse['header'] = { ...NO_HEADER, memberId: 0 }
  let version = ''
  let leader: MemberId = 0
  let [dbSize, dbSizeInUse, dbSizeQuota] = [0, 0, 0]
  let isLearner = false
  const errors: string[] = []
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) header = reader.message(readMemberHeader)
    else if (tag === delimited(2)) version = reader.looseText()
    else if (tag === number(3)) dbSize = reader.safeUint()
    else if (tag === number(4)) leader = reader.int64()
    else if (tag === delimited(8)) errors.push(reader.looseText())
    else if (tag === number(9)) dbSizeInUse = reader.safeUint()
    else if (tag === number(10)) isLearner = reader.bool()
    else if (tag === number(12)) dbSizeQuota = reader.safeUint()
    else reader.skip(tag)
  }
  return { header, version, dbSize, leader, errors, dbSizeInUse, isLearner, dbSizeQuota }
}

function readMemberHeader(reader: ProtobufReader): StatusResponse['header'] {
  let [revision, raftTerm] = [0, 0]
  let memberId: MemberId = 0
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === number(2)) memberId = reader.int64()
    else if (tag === number(3)) revision = reader.safeUint()
    else if (tag === number(4)) raftTerm = reader.safeUint()
    else reader.skip(tag)
  }
  return { revision, raftTerm, memberId }
}

function readAlarm(reader: ProtobufReader): AlarmMember {
  let memberId: MemberId = 0
  let alarm = 0
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === number(1)) memberId = reader.int64()
    else if (tag === number(2)) alarm = reader.safeUint()
    else reader.skip(tag)
  }
  return { memberId, alarm }
}
