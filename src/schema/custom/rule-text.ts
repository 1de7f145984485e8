// A rule of `x-kubernetes-validations` as its author wrote it.

export interface RuleText {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  /** Empty: `FieldValueInvalid`. */
  readonly reason: string
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}
