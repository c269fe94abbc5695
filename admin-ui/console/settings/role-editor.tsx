import { useState } from 'react'
import { Dialog } from '../../shared/dialog.tsx'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { PermissionPicker } from '../shared/permission-picker.tsx'
import type { Setting, Value } from './draft.ts'

/** The roles that a setting contains, by name. */
export const rolesIn = (setting: Setting | undefined): Readonly<Record<string, Value>> => {
  const value = setting?.value
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

interface EditableRole {
  readonly name: string
  readonly description?: string
  readonly permissions: readonly string[]
}

interface EditProps {
  /** The role to edit. Undefined for a new role. */
  readonly role: EditableRole | undefined
  /** All permissions that can be given to the role. */
  readonly names: readonly string[]
  /** True if a role without permissions is allowed. Such a role is useful if applications read its name. */
  readonly mayBeEmpty?: boolean
  readonly taken: readonly string[]
  readonly onDone: (name: string, role: { readonly permissions: string[]; readonly description?: string }) => void
  readonly onClose: () => void
}

/** A dialog to edit a role: its name, purpose and permissions. */
export const EditRole = ({ role, names, mayBeEmpty = false, taken, onDone, onClose }: EditProps) => {
  const { t } = useI18n()
  const [name, setName] = useState(role?.name ?? '')
  const [description, setDescription] = useState(role?.description ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(role?.permissions ?? [])
  const [isChecked, setIsChecked] = useState(false)
  const nameProblem = !/^[a-z][a-z0-9_-]{0,31}$/.test(name)
    ? t('people.roleNameWrong')
    : role === undefined && taken.includes(name)
      ? t('people.roleNameTaken')
      : undefined
  const isMissing = !mayBeEmpty && chosen.length === 0
  const finish = () => {
    setIsChecked(true)
    if (nameProblem !== undefined || isMissing) return
    onDone(name, { permissions: [...chosen], ...(description.trim() === '' ? {} : { description: description.trim() }) })
  }
  return (
    <Dialog title={role === undefined ? t('people.roleNew') : t('people.roleEdit', { name: role.name })} onClose={onClose}>
      <form
        className="confirm"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          finish()
        }}
      >
        {role === undefined ? (
          <Field
            name="name"
            label={t('people.roleName')}
            autoComplete="off"
            maxLength={32}
            hint={t('people.roleNameHint')}
            error={isChecked ? nameProblem : undefined}
            onValue={setName}
            autoFocus
          />
        ) : null}
        {mayBeEmpty ? null : (
          <Field
            name="description"
            label={t('people.roleDescription')}
            autoComplete="off"
            maxLength={200}
            defaultValue={description}
            onValue={setDescription}
            isOptional
          />
        )}
        <PermissionPicker
          names={names}
          chosen={chosen}
          {...(isChecked && isMissing ? { hint: t('people.rolePermissionMissing') } : {})}
          onChosen={setChosen}
        />
        <div className="dialog-actions">
          <Button kind="secondary" onClick={onClose}>
            {t('console.confirm.cancel')}
          </Button>
          <Button type="submit">{t('setting.review')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
