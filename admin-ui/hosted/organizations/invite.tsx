import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import { teamContract } from '../../../src/organizations/teams/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { SelectField } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { useLoader } from '../../shared/loading.tsx'
import { parseAddresses } from '../../shared/parsing.ts'
import { useI18n } from '../../shared/text.tsx'
import { useAccount } from '../account/context.ts'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import { AreaField } from './fields.tsx'
import { useRoleWords } from './roles.tsx'

type Outcome = Answer<WireApi<typeof invitationContract>['inviteMembers']>

const fields = ['emails'] as const
/** How many email addresses at most are sent in one call. */
const most = 100
const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)

/** Shows the result: how many invitations were sent, and which addresses were refused for what reason. */
const InviteResult = ({ invitations, refused }: Outcome) => {
  const { t, serverMessage } = useI18n()
  return (
    <>
      {invitations.length === 0 ? null : t('invite.sent', { count: invitations.length })}
      {refused.length === 0 ? null : (
        <span className="invite-result">
          <span>{t('invite.notSent', { count: refused.length })}</span>
          {refused.map(({ email, code }) => (
            <span key={email} className="break">
              <strong>{email}</strong>:{' '}
              {serverMessage(code) ?? t(code.startsWith('TOO_MANY_REQUESTS') ? 'problem.tooMany' : 'problem.unknown')}
            </span>
          ))}
        </span>
      )}
    </>
  )
}

/** A form that invites one or more people. Email addresses can be typed, or pasted from a mail program or a table. */
export const InviteForm = ({ onInvited }: { readonly onInvited: () => Promise<void> }) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { nameOf, hintOf } = useRoleWords()
  const { organization, assignableRoles } = useOrganization()
  const { settings } = useAccount()
  const usual = assignableRoles.includes('member') ? 'member' : (assignableRoles.at(-1) ?? '')
  const [role, setRole] = useState(usual)
  const teams = useLoader(async () =>
    settings.teamsEnabled ? await api.of(teamContract).listTeams({ query: { organizationId: organization.id } }) : [],
  )
  const [outcome, setOutcome] = useState<Outcome>()
  const form = useForm({
    api,
    fields,
    check: ({ emails: text }) => {
      const emails = parseAddresses(text)
      const wrong = emails.filter((email) => !looksLikeEmail(email))
      if (emails.length === 0) return { emails: t('problem.emailMissing') }
      if (wrong.length > 0) return { emails: t('invite.notAddresses', { addresses: i18n.list(wrong.slice(0, 3)) }) }
      return emails.length > most ? { emails: t('invite.tooMany', { count: most }) } : {}
    },
    submit: async ({ emails }, data) => {
      const teamId = String(data.get('team') ?? '')
      const body = { emails: [...parseAddresses(emails)], role, organizationId: organization.id }
      setOutcome(await api.of(invitationContract).inviteMembers({ body: teamId === '' ? body : { ...body, teamId } }))
      form.ref.current?.reset()
      setRole(usual)
      await onInvited()
      return 'done'
    },
  })
  const teamOptions = (teams.value ?? []).map(({ id, name }) => ({ value: id, text: name }))
  return (
    <Panel id="invite" title={t('invite.title')}>
      <Form
        state={form}
        working={t('checkEmail.working')}
        done={outcome === undefined ? undefined : <InviteResult {...outcome} />}
        tone={outcome !== undefined && outcome.refused.length > 0 ? 'wait' : 'good'}
      >
        <AreaField name="emails" label={t('invite.emails')} error={form.errors.emails} hint={t('invite.emailsRule')} />
        <div className="form-columns">
          <SelectField
            name="role"
            label={t('invite.role')}
            defaultValue={usual}
            hint={hintOf(role)}
            options={assignableRoles.map((name) => ({ value: name, text: nameOf(name) }))}
            onValue={setRole}
          />
          {teamOptions.length === 0 ? null : (
            <SelectField
              name="team"
              label={t('invite.team')}
              defaultValue=""
              options={[{ value: '', text: t('invite.noTeam') }, ...teamOptions]}
            />
          )}
        </div>
        <SubmitButton of={form}>{t('invite.submit')}</SubmitButton>
      </Form>
    </Panel>
  )
}
