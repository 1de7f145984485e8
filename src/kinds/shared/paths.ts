// Paths inside volumes: relative, and never out of the volume.
import type { FieldPath } from '../../api/field-path.ts'
import type { Check } from '../../schema/validation/check.ts'

export function checkNoBacksteps(path: string, at: FieldPath, check: Check): void {
  if (hasBackstep(path)) check.invalid(at, path, "must not contain '..'")
}

export function hasBackstep(path: string): boolean {
  return path.includes('..') && path.split('/').includes('..')
}

export function checkDescendingPath(path: string, at: FieldPath, check: Check): void {
  if (path.startsWith('/')) check.invalid(at, path, 'must be a relative path')
  checkNoBacksteps(path, at, check)
}

/** A descending path that does not begin with `..`, which volumes reserve. */
export function checkNonReservedPath(path: string, at: FieldPath, check: Check): void {
  checkDescendingPath(path, at, check)
  if (path.startsWith('..') && !path.startsWith('../')) check.invalid(at, path, "must not start with '..'")
}

/** Whether the path is `/`, in any spelling. */
export function isRootPath(path: string): boolean {
  return path.startsWith('/') && path.split('/').every((element) => element === '' || element === '.')
}
