import { useId, useState } from 'react'
import { Link } from 'react-router'
import { teamAdministrationContract } from '../../../../src/organizations/teams/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Organization } from '../parts.tsx'
import { teamPath } from '../paths.ts'
import { useRoles } from '../roles.tsx'

interface OfOrganization {
  readonly organization: Organization
}

const NewDialog = ({ organization: { id, name }, onClose }: OfOrganization & { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const field = useId()
  const [team, setTeam] = useState('')
  const create = useChange(teamAdministrationContract, 'adminCreateTeam', t('organizations.created', { name: team }))
  const input = { params: { id }, body: { name: team.trim() } }
  return (
    <Confirm
      title={t('organizations.newTeamIn', { name })}
      consequences={[]}
      action={t('organizations.newTeam')}
      isDangerous={false}
      reason="optional"
      blocked={team.trim() === '' ? t('organizations.nameMissing') : undefined}
      foot={<ShowCall target={teamAdministrationContract.adminCreateTeam} input={input} />}
      onConfirm={(reason) => create({ ...input, reason })}
      onClose={onClose}
    >
      <div className="field">
        <label htmlFor={field}>{t('organizations.name')}</label>
        <input
          id={field}
          value={team}
          maxLength={100}
          autoComplete="off"
          onChange={({ currentTarget }) => setTeam(currentTarget.value)}
        />
        <div className="field-message" />
      </div>
    </Confirm>
  )
}

/** The teams of the organization, newest first; each leads to its own screen. Nothing where organizations have none here. */
export const TeamsPanel = ({ organization }: OfOrganization) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [isOpen, setIsOpen] = useState(false)
  const hasTeams = useRoles()?.teamsEnabled === true
  const { id } = organization
  const params = { id }
  if (!hasTeams) return null
  return (
    <>
      <PagedPanel
        title={t('organizations.teams')}
        permission="all-organizations:read"
        queryKey={[teamAdministrationContract.adminListTeams.path, id]}
        load={async (place) => {
          const { teams, next, total } = await api.call(teamAdministrationContract, 'adminListTeams', {
            params,
            query: { limit: 10, ...place },
          })
          return { rows: teams, next, total }
        }}
        idOf={(team) => team.id}
        row={({ id: teamId, name, memberCount, createdAt }) => (
          <span className="entry-text">
            <span className="entry-title">
              <Link to={teamPath(id, teamId)}>{name}</Link>
            </span>
            <span className="who-detail">
              {t('organizations.membersCounted', { count: memberCount })} · <Time at={createdAt} />
            </span>
          </span>
        )}
        empty={t('organizations.teamsNone')}
        actions={
          <ActionButton permission="all-organizations:update" icon="plus" onClick={() => setIsOpen(true)}>
            {t('organizations.newTeam')}
          </ActionButton>
        }
        foot={<ShowCall target={teamAdministrationContract.adminListTeams} input={{ params }} isQuery />}
      />
      {isOpen ? <NewDialog organization={organization} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}
