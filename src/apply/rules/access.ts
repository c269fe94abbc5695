import { objectAccess, type RequiredAccess } from '../calls/contract.ts'
import type { ObjectKind } from '../contract.ts'
import type { Action, FieldChange } from '../rules.ts'

/** The access that reading objects of a kind requires. */
export const readAccess = (kind: ObjectKind): RequiredAccess => objectAccess[kind].read

/** The access that every change of an object of this kind requires. */
export const updateAccess = (kind: ObjectKind): RequiredAccess => objectAccess[kind].update

/** The access that this change of an object requires. */
export const accessFor = (
  kind: ObjectKind,
  { action, fields }: { readonly action: Action; readonly fields: readonly FieldChange[] },
): readonly RequiredAccess[] => {
  const access = objectAccess[kind]
  if (action === 'unchanged' || action === 'kept') return []
  if (action !== 'update') return [access[action]]
  return fields.some(({ field }) => field === 'secret') ? [access.update, access.secret] : [access.update]
}
