import { useState } from 'react'
import { Link } from 'react-router'
import type { WireApi } from '../../../../src/http/contract.ts'
import { teamAdministrationContract } from '../../../../src/organizations/teams/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { Field } from '../../../shared/field.tsx'
import { TeamsPanel as SharedTeamsPanel } from '../../../shared/organizations/panels.tsx'
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
      <Field name="name" label={t('organizations.name')} value={team} maxLength={100} autoComplete="off" onValue={setTeam} />
    </Confirm>
  )
}

type Team = Answer<WireApi<typeof teamAdministrationContract>['adminListTeams']>['teams'][number]

/** The teams of the organization, newest first. Each links to its own screen. Renders nothing if there are no teams. */
export const TeamsPanel = ({ organization }: OfOrganization) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const hasTeams = useRoles()?.teamsEnabled === true
  const { id } = organization
  const params = { id }
  if (!hasTeams) return null
  return (
    <SharedTeamsPanel<Team, 'new'>
      list={(row, open) => (
        <PagedPanel
          title={t('organizations.teams')}
          permission="all-organizations:read"
          queryKey={[teamAdministrationContract.adminListTeams.path, id]}
          load={async (place) => {
            const query = { limit: 10, ...place }
            const { teams, next, total } = await api.call(teamAdministrationContract, 'adminListTeams', { params, query })
            return { rows: teams, next, total }
          }}
          idOf={(team) => team.id}
          row={row}
          empty={t('organizations.teamsNone')}
          actions={
            <ActionButton permission="all-organizations:update" icon="plus" onClick={() => open('new')}>
              {t('organizations.newTeam')}
            </ActionButton>
          }
          foot={<ShowCall target={teamAdministrationContract.adminListTeams} input={{ params }} isQuery />}
        />
      )}
      partsOf={({ id: teamId, name, memberCount, createdAt }) => ({
        title: <Link to={teamPath(id, teamId)}>{name}</Link>,
        details: (
          <>
            {t('organizations.membersCounted', { count: memberCount })} · <Time at={createdAt} />
          </>
        ),
      })}
      dialogOf={(_, onClose) => <NewDialog organization={organization} onClose={onClose} />}
    />
  )
}
