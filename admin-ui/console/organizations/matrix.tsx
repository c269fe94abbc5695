import { useQuery } from '@tanstack/react-query'
import type { WireApi } from '../../../src/http/contract.ts'
import { organizationRoleContract } from '../../../src/organizations/roles/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { RulesPanel } from './panels/rules.tsx'
import '../styles/organizations.css'

type Roles = Answer<WireApi<typeof organizationRoleContract>['listOrganizationRoles']>

const resourceOf = (permission: string) => permission.split(':')[0] ?? ''

/** Permissions under the resource that they are about, in the order of the server. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys.
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

/** What each role of members allows, as the server decides it, and the rules of the installation for organizations. */
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
      <RulesPanel />
    </Page>
  )
}
