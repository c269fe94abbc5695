import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { organizationRoleContract } from '../../../src/organizations/roles/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import type { Value } from '../settings/draft.ts'
import { ReviewDialog } from '../settings/review.tsx'
import { EditRole, rolesIn } from '../settings/role-editor.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { RulesPanel } from './panels/rules.tsx'
import '../styles/organizations.css'

type Roles = Answer<WireApi<typeof organizationRoleContract>['listOrganizationRoles']>

const resourceOf = (permission: string) => permission.split(':')[0] ?? ''

/** Groups permissions by resource, in the order in which the server lists them. */
const byResource = (permissions: readonly string[]) =>
  [...new Set(permissions.map(resourceOf))].map(
    (resource) => [resource, permissions.filter((permission) => resourceOf(permission) === resource)] as const,
  )

const Cell = ({ isAllowed }: { readonly isAllowed: boolean }) => {
  const { t } = useI18n()
  return (
    <td className={isAllowed ? 'matrix-yes' : 'matrix-no'}>
      {isAllowed ? <Icon name="check" size={18} /> : <span aria-hidden="true">–</span>}
      <span className="visually-hidden">{t(isAllowed ? 'console.yes' : 'console.no')}</span>
    </td>
  )
}

const Matrix = ({ roles, permissions, creatorRole }: Roles) => {
  const { t } = useI18n()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable by keys.
    <section className="table-scroll" aria-label={t('organizations.matrixTable')} tabIndex={0}>
      <table className="matrix">
        <thead>
          <tr>
            <th scope="col">{t('organizations.permission')}</th>
            {roles.map(({ name, isBuiltIn }) => (
              <th key={name} scope="col">
                <code>{name}</code> {name === creatorRole ? <Badge tone="good">{t('organizations.creator')}</Badge> : null}
                {isBuiltIn ? null : <Badge tone="new">{t('organizations.ofConfiguration')}</Badge>}
              </th>
            ))}
          </tr>
        </thead>
        {byResource(permissions).map(([resource, own]) => (
          <tbody key={resource}>
            {own.map((permission) => (
              <tr key={permission}>
                <th scope="row">
                  <code>{permission}</code>
                </th>
                {roles.map((role) => (
                  <Cell key={role.name} isAllowed={role.permissions.includes(permission)} />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
        <tbody>
          <tr>
            <th scope="row">{t('organizations.givenBy')}</th>
            {roles.map(({ name, givenBy }) => (
              <td key={name}>{givenBy.join(', ')}</td>
            ))}
          </tr>
        </tbody>
      </table>
    </section>
  )
}

const rolesKey = 'organizations.roles'

/** A role as the setting `organizations.roles` stores it: its actions by resource. The role keeps its `grants`. */
const roleOf = (given: readonly string[], before: Value | undefined): Value => {
  const isSet = typeof before === 'object' && before !== null && !Array.isArray(before)
  const grants = isSet ? before['grants'] : undefined
  const actions = byResource(given).map(([resource, own]) => [resource, own.map((permission) => permission.split(':')[1] ?? '')])
  return { ...Object.fromEntries(actions), ...(grants === undefined ? {} : { grants }) }
}

/**
 * Buttons that change the configured roles of members, which apply to all organizations. Renders nothing without the permission to read
 * settings.
 */
const OwnRoles = ({ roles: { roles, permissions } }: { readonly roles: Roles }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('settings:read')
  const { data: answer } = useQuery({ ...api.query(settingsContract, 'listSettings'), enabled: isAllowed })
  const [edited, setEdited] = useState<Roles['roles'][number] | 'new'>()
  const [review, setReview] = useState<{ readonly title: string; readonly value: Readonly<Record<string, Value>> }>()
  if (answer === undefined) return null
  const setting = answer.settings.find(({ key }) => key === rolesKey)
  const own = rolesIn(setting)
  const blocked = setting?.isLocked === true ? t('setting.locked', { place: setting.from ?? setting.source }) : undefined
  return (
    <Panel
      title={t('organizations.ownRoles')}
      actions={
        <ActionButton permission="settings:update" icon="plus" blocked={blocked} onClick={() => setEdited('new')}>
          {t('people.roleNew')}
        </ActionButton>
      }
    >
      <ul className="own-roles">
        {roles.map((role) => (
          <li key={role.name}>
            <code>{role.name}</code>
            <ActionButton permission="settings:update" blocked={blocked} onClick={() => setEdited(role)}>
              {t('people.roleChange')}
              <span className="visually-hidden">: {role.name}</span>
            </ActionButton>
            {Object.hasOwn(own, role.name) ? (
              <ActionButton
                permission="settings:update"
                blocked={blocked}
                onClick={() =>
                  setReview({
                    title: t('people.roleRemoveTitle', { name: role.name }),
                    value: Object.fromEntries(Object.entries(own).filter(([name]) => name !== role.name)),
                  })
                }
              >
                {t('people.roleRemove')}
                <span className="visually-hidden">: {role.name}</span>
              </ActionButton>
            ) : null}
          </li>
        ))}
      </ul>
      {edited === undefined ? null : (
        <EditRole
          role={edited === 'new' ? undefined : edited}
          names={permissions}
          mayBeEmpty
          taken={roles.map(({ name }) => name)}
          onDone={(name, { permissions: given }) => {
            setEdited(undefined)
            setReview({ title: t('people.roleSaveTitle', { name }), value: { ...own, [name]: roleOf(given, own[name]) } })
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {review === undefined ? null : (
        <ReviewDialog
          answer={answer}
          draft={{ set: { [rolesKey]: { ...review.value } }, unset: [] }}
          title={review.title}
          onClose={() => setReview(undefined)}
        />
      )}
    </Panel>
  )
}

/** The screen that shows the permissions of each role of members, and the rules for all organizations. */
export const OrganizationRolesScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, refetch } = useQuery(api.query(organizationRoleContract, 'listOrganizationRoles'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page title={t('organizations.rolesTitle')} lead={t('organizations.rolesLead')}>
      <Panel
        title={t('organizations.matrix')}
        actions={<ShowCall target={organizationRoleContract.listOrganizationRoles} isQuery />}
      >
        <Matrix {...data} />
      </Panel>
      <OwnRoles roles={data} />
      <RulesPanel />
    </Page>
  )
}
