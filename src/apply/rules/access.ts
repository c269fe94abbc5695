import { objectAccess, type RequiredAccess } from '../calls/contract.ts'
import type { ObjectKind } from '../contract.ts'
import type { Action, FieldChange } from '../rules.ts'

/** What reading objects of a kind needs. */
export const readAccess = (kind: ObjectKind): RequiredAccess => objectAccess[kind].read

/** What changing objects of a kind needs, whatever is changed. */
export const updateAccess = (kind: ObjectKind): RequiredAccess => objectAccess[kind].update

/** What it needs that an object was changed so. */
export const accessFor = (
  kind: ObjectKind,
  { action, fields }: { readonly action: Action; readonly fields: readonly FieldChange[] },
): readonly RequiredAccess[] => {
  const access = objectAccess[kind]
  if (action === 'unchanged' || action === 'kept') return []
  if (action !== 'update') return [access[action]]
  return fields.some(({ field }) => field === 'secret') ? [access.update, access.secret] : [access.update]
}
