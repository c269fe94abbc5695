import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { instancePermissions } from '../../../src/access/permissions.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { roleContract } from '../../../src/identity/roles/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import type { Value } from '../settings/draft.ts'
import { settingsHistoryPath } from '../settings/paths.ts'
import { ReviewDialog } from '../settings/review.tsx'
import { EditRole, rolesIn } from '../settings/role-editor.tsx'
import { useSettings } from '../settings/use-settings.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { RoleFactor } from './role-factor.tsx'
import './role-list.css'
import '../settings/settings.css'

type Role = Answer<WireApi<typeof roleContract>['listInstanceRoles']>['roles'][number]

/** Built-in roles that the configuration cannot replace. */
const fixed = ['admin', 'user']

const rolesKey = 'access.roles'

const byResource = (permissions: readonly string[]): readonly (readonly [string, readonly string[]])[] => {
  const resources = [...new Set(permissions.map((name) => name.split(':')[0] ?? ''))]
  return resources.map((one) => [
    one,
    permissions.filter((name) => name.startsWith(`${one}:`)).map((name) => name.slice(one.length + 1)),
  ])
}

interface RolePanelProps {
  readonly role: Role
  readonly canEdit: boolean
  readonly blocked: string | undefined
  /** The switch that decides whether the role needs a second factor. Null without the permission to read settings. */
  readonly factor: ReactNode
  readonly onEdit: () => void
  readonly onRemove: () => void
}

const RolePanel = ({ role, canEdit, blocked, factor, onEdit, onRemove }: RolePanelProps) => {
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
        {factor}
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

/** The screen of the instance roles: their permissions and users. Configured roles can be changed here. */
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
  const giving = data.roles.filter(({ permissions }) => permissions.length > 0).map(({ name }) => name)
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
          factor={settings.data === undefined ? null : <RoleFactor role={role.name} giving={giving} answer={settings.data} />}
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
          names={instancePermissions}
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
