import { objectAccess, type RequiredAccess } from '../calls/contract.ts'
import type { ObjectKind } from '../contract.ts'
import type { Action, FieldChange } from '../rules.ts'

/** The access that a principal needs to read objects of this kind. */
export const readAccess = (kind: ObjectKind): RequiredAccess => objectAccess[kind].read

/** The access that a principal needs for any update of objects of this kind. */
export const updateAccess = (kind: ObjectKind): RequiredAccess => objectAccess[kind].update

/** The access that a principal needs for this change of an object. */
export const accessFor = (
  kind: ObjectKind,
  { action, fields }: { readonly action: Action; readonly fields: readonly FieldChange[] },
): readonly RequiredAccess[] => {
  const access = objectAccess[kind]
  if (action === 'unchanged' || action === 'kept') return []
  if (action !== 'update') return [access[action]]
  return fields.some(({ field }) => field === 'secret') ? [access.update, access.secret] : [access.update]
}
