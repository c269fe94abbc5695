import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { instancePermissions } from '../../../src/access/permissions.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { roleContract } from '../../../src/identity/roles/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Field } from '../../shared/field.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import type { Setting, Value } from '../settings/draft.ts'
import { settingsHistoryPath } from '../settings/paths.ts'
import { ReviewDialog } from '../settings/review.tsx'
import { useSettings } from '../settings/use-settings.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { PermissionPicker } from '../shared/permission-picker.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import './role-list.css'

type Role = Answer<WireApi<typeof roleContract>['listInstanceRoles']>['roles'][number]

/** Roles that the configuration cannot replace. */
const fixed = ['admin', 'user']

const rolesKey = 'access.roles'

/** The roles that are set, as the setting has them. */
const rolesIn = (setting: Setting | undefined): Readonly<Record<string, Value>> => {
  const value = setting?.value
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

const byResource = (permissions: readonly string[]): readonly (readonly [string, readonly string[]])[] => {
  const resources = [...new Set(permissions.map((name) => name.split(':')[0] ?? ''))]
  return resources.map((one) => [
    one,
    permissions.filter((name) => name.startsWith(`${one}:`)).map((name) => name.slice(one.length + 1)),
  ])
}

interface EditProps {
  /** Undefined: a new one. */
  readonly role: Role | undefined
  readonly taken: readonly string[]
  readonly onDone: (name: string, role: Value) => void
  readonly onClose: () => void
}

/** A role of the instance: its name, what it is for, and what it gives. */
const EditRole = ({ role, taken, onDone, onClose }: EditProps) => {
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
  const finish = () => {
    setIsChecked(true)
    if (nameProblem !== undefined || chosen.length === 0) return
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
        <Field
          name="description"
          label={t('people.roleDescription')}
          autoComplete="off"
          maxLength={200}
          defaultValue={description}
          onValue={setDescription}
          isOptional
        />
        <PermissionPicker
          names={instancePermissions}
          chosen={chosen}
          {...(isChecked && chosen.length === 0 ? { hint: t('people.rolePermissionMissing') } : {})}
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

interface RolePanelProps {
  readonly role: Role
  readonly canEdit: boolean
  readonly blocked: string | undefined
  readonly onEdit: () => void
  readonly onRemove: () => void
}

const RolePanel = ({ role, canEdit, blocked, onEdit, onRemove }: RolePanelProps) => {
  const { t } = useI18n()
  const { screens } = useConsole()
  const { name, description, isBuiltIn, permissions } = role
  return (
    <Panel
      title={name}
      actions={
        <>
          {screens.has('/admin/users') && permissions.length > 0 ? (
            <Link className="button button-secondary" to={`/admin/users?${new URLSearchParams({ role: name })}`}>
              {t('people.roleUsers')}
              <span className="visually-hidden">: {name}</span>
            </Link>
          ) : null}
          {canEdit ? (
            <ActionButton permission="settings:update" blocked={blocked} onClick={onEdit}>
              {t('people.roleChange')}
            </ActionButton>
          ) : null}
          {canEdit && !isBuiltIn ? (
            <ActionButton permission="settings:update" blocked={blocked} kind="danger" onClick={onRemove}>
              {t('people.roleRemove')}
            </ActionButton>
          ) : null}
        </>
      }
    >
      <div className="role-body">
        <p>
          <Badge tone={isBuiltIn ? 'plain' : 'new'}>{t(isBuiltIn ? 'people.roleBuiltIn' : 'people.roleOwn')}</Badge> {description}
        </p>
        {permissions.length === 0 || permissions.length === instancePermissions.length ? null : (
          <details>
            <summary>{t('people.rolePermissions', { count: permissions.length })}</summary>
            <ul className="role-permissions">
              {byResource(permissions).map(([resource, actions]) => (
                <li key={resource}>
                  <span className="permission-resource">{resource}</span> {actions.join(', ')}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </Panel>
  )
}

/** The roles of the instance: what each gives, who has it, and roles of one's own. */
export const RolesScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, refetch } = useQuery(api.query(roleContract, 'listInstanceRoles'))
  const settings = useSettings()
  const [edited, setEdited] = useState<Role | 'new'>()
  const [review, setReview] = useState<{ readonly title: string; readonly value: Readonly<Record<string, Value>> }>()
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const setting = settings.data?.settings.find(({ key }) => key === rolesKey)
  const own = rolesIn(setting)
  const blocked = setting?.isLocked === true ? t('setting.locked', { place: setting.from ?? setting.source }) : undefined
  return (
    <Page
      title={t('console.screen.roles')}
      lead={t('people.rolesLead')}
      actions={
        <>
          <ShowCall target={roleContract.listInstanceRoles} isQuery />
          <Link className="button button-secondary" to={settingsHistoryPath}>
            {t('setting.historyLink')}
          </Link>
          <ActionButton
            permission="settings:update"
            kind="primary"
            icon="plus"
            blocked={blocked}
            onClick={() => setEdited('new')}
          >
            {t('people.roleNew')}
          </ActionButton>
        </>
      }
    >
      {blocked === undefined ? null : (
        <p className="setting-locked">
          <Icon name="lock" size={14} /> {blocked}
        </p>
      )}
      {data.roles.map((role) => (
        <RolePanel
          key={role.name}
          role={role}
          canEdit={!fixed.includes(role.name) && setting?.isRuntime === true}
          blocked={blocked}
          onEdit={() => setEdited(role)}
          onRemove={() =>
            setReview({
              title: t('people.roleRemoveTitle', { name: role.name }),
              value: Object.fromEntries(Object.entries(own).filter(([name]) => name !== role.name)),
            })
          }
        />
      ))}
      {edited === undefined ? null : (
        <EditRole
          role={edited === 'new' ? undefined : edited}
          taken={data.roles.map(({ name }) => name)}
          onDone={(name, role) => {
            setEdited(undefined)
            setReview({ title: t('people.roleSaveTitle', { name }), value: { ...own, [name]: role } })
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {review === undefined || settings.data === undefined ? null : (
        <ReviewDialog
          answer={settings.data}
          draft={{ set: { [rolesKey]: { ...review.value } }, unset: [] }}
          title={review.title}
          onClose={() => setReview(undefined)}
        />
      )}
    </Page>
  )
}
